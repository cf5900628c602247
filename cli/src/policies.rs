//! Lists policies, the product versions that they model, and later changes of the products.

use std::io::Write;

use fairground::policy::Policy;
use fairground::policy::versions::{Modelled, modelled};

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
    writeln!(out, "{}: {} {}", modelled.policy, modelled.product, modelled.versions)?;
    writeln!(out, "  modelled from: {}", modelled.source)?;
    if !modelled.revision.is_empty() {
        writeln!(out, "  revision: {}", modelled.revision)?;
    }
    match modelled.compared {
        "" => writeln!(out, "  later versions: not compared")?,
        compared => writeln!(out, "  compared with: {compared}")?,
    }
    for change in modelled.changes {
        writeln!(out, "  since {}:", change.version)?;
        writeln!(out, "    here:  {}", change.before)?;
        writeln!(out, "    since: {}", change.now)?;
        writeln!(out, "    seen:  {}", change.notice)?;
    }
    Ok(())
}
