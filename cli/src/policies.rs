//! Lists policies, the product versions that they model, and changes of the products.

use std::io::Write;

use fairground::policy::Policy;
use fairground::policy::agreement;
use fairground::policy::versions::{Modelled, Revision, modelled};

use crate::args::Policies;
use crate::{End, Stop};

/// Prints all policies, or one of them.
pub fn policies(args: &Policies) -> Result<End, Stop> {
    let is_meant = |name: &&&str| args.policy.as_ref().is_none_or(|policy| policy == **name);
    let meant: Vec<&str> = Policy::NAMES.iter().filter(is_meant).copied().collect();
    if meant.is_empty() {
        let policy = args.policy.as_deref().unwrap_or_default();
        eprintln!("fairground: no policy is called {policy:?}; choose one of {}", Policy::NAMES.join(", "));
        return Err(Stop::BadInput);
    }
    let mut out = std::io::stdout().lock();
    for name in meant {
        match modelled(name) {
            Some(modelled) => print(&mut out, modelled)?,
            None => writeln!(out, "{name}: a rule from the literature, not a product")?,
        }
    }
    Ok(End::Ok)
}

fn print(out: &mut impl Write, modelled: &Modelled) -> std::io::Result<()> {
    for revision in modelled.revisions {
        print_revision(out, modelled, revision)?;
    }
    match modelled.compared {
        "" => writeln!(out, "  later versions: not compared")?,
        compared => writeln!(out, "  compared with: {compared}")?,
    }
    for change in modelled.changes {
        writeln!(out, "  since {}:", change.version)?;
        writeln!(out, "    before: {}", change.before)?;
        writeln!(out, "    since:  {}", change.now)?;
        writeln!(out, "    seen:   {}", change.notice)?;
        match change.modelled {
            "" => writeln!(out, "    here:   not simulated")?,
            name => writeln!(out, "    here:   simulated from {} {name} on", modelled.setting)?,
        }
    }
    Ok(())
}

fn print_revision(out: &mut impl Write, modelled: &Modelled, revision: &Revision) -> std::io::Result<()> {
    writeln!(out, "{}: {} {}", modelled.policy, modelled.product, revision.versions)?;
    if !modelled.setting.is_empty() {
        let is_first = revision == modelled.oldest();
        let whose = if is_first { "; also without this setting" } else { "" };
        writeln!(out, "  setting: {} {:?}{whose}", modelled.setting, revision.name)?;
    }
    writeln!(out, "  modelled from: {}", revision.origin())?;
    if !revision.commit.is_empty() {
        writeln!(out, "  revision: {}", revision.commit)?;
    }
    let found = agreement::of(modelled, revision);
    writeln!(out, "  cases that agree: {} of {}", found.agree, found.counted())
}
