//! The head of a scenario: dialect, policy, its switches, rhythm and delays.

use super::super::diagnostic::{Edit, Path};
use super::super::quantity;
use super::super::schema::{Scalar, Scenario};
use super::super::{codes, nearest};
use super::kai::kai;
use super::settings_ego::ego;
use super::settings_runai::runai;
use super::settings_yunikorn::yunikorn;
use crate::cluster::Delays;
use crate::policy::{Policy, Rhythm, fifo};
use crate::scenario::findings::{Findings, quoted, set};
use crate::time::Span;

/// Reads the head. No policy: it is known, but this build is without it.
pub fn settings(s: &Scenario, f: &mut Findings) -> (Option<Policy>, Rhythm, Delays) {
    let root = Path::default();
    if !matches!(s.dialect.as_str(), "" | "kai") {
        let at = root.field("dialect");
        let says = format!("dialect {} is not known here; write kai", quoted(&s.dialect));
        f.add(codes::DIALECT, at.clone(), says, set(at, "kai", "Use the dialect kai"));
    }
    let policy = match s.policy.as_str() {
        "" | "kai" => Some(Policy::Kai(kai(s, f))),
        "fifo" => {
            no_switches(s, "fifo has no switches", f);
            Some(Policy::Fifo(fifo::Config::default()))
        }
        "max-min" => {
            no_switches(s, "max-min has no switches", f);
            Some(Policy::MaxMin(crate::policy::maxmin::Config::default()))
        }
        "drf" => {
            no_switches(s, "drf has no switches", f);
            Some(Policy::Drf(crate::policy::drf::Config::default()))
        }
        "yunikorn" => Some(Policy::YuniKorn(yunikorn(s, f))),
        "ego" => Some(Policy::Ego(ego(s, f))),
        "runai" => Some(Policy::Runai(runai(s, f))),
        name if Policy::NAMES.contains(&name) => None,
        other => {
            let at = root.field("policy");
            let near = nearest(other, Policy::NAMES.iter().copied()).unwrap_or("kai");
            let says = format!(
                "policy {} is not known here; write one of {}",
                quoted(other),
                Policy::NAMES.join(", ")
            );
            f.add(codes::POLICY, at.clone(), says, set(at, near, format!("Use the policy {near}")));
            Some(Policy::Kai(kai(s, f)))
        }
    };
    let at = root.field("delays");
    let start = f.time(&s.delays.start, Span::ZERO, &|| at.field("start"), &quantity::span);
    let termination = f.time(&s.delays.termination, Span::ZERO, &|| at.field("termination"), &quantity::span);
    let rhythm = rhythm(s, policy.as_ref(), f);
    (policy, rhythm, Delays { start, termination })
}

fn rhythm(s: &Scenario, policy: Option<&Policy>, f: &mut Findings) -> Rhythm {
    let is_kai = policy.is_some_and(|policy| matches!(policy.name(), "kai" | "runai"));
    let on_change = Rhythm::OnChange { at_least: if is_kai { Span::from_seconds(1) } else { Span::ZERO } };
    let Some(typed) = &s.cycle else {
        return if is_kai { Rhythm::every(Span::from_seconds(1)) } else { on_change };
    };
    match typed.0.trim() {
        "on change" => return on_change,
        "on events" => return Rhythm::OnEvents,
        _ => {}
    }
    let at = || Path::default().field("cycle");
    let (period, first) = match typed.0.split_once("first at") {
        Some((period, first)) => (period.trim().trim_end_matches(','), Some(first)),
        None => (typed.0.as_str(), None),
    };
    if quantity::span(period).is_err() || first.is_some_and(|first| quantity::span(first).is_err()) {
        let says = format!(
            "cycle {} is neither a period such as `1s` or `120s, first at 1s`, nor `on change` or `on events`",
            quoted(&typed.0)
        );
        f.add(codes::DURATION, at(), says, set(at(), "", "Use the default cycle"));
        return on_change;
    }
    let mut time = |text: &str, default| f.time(&Some(text.into()), default, &at, &quantity::span);
    let period = time(period, Span::from_seconds(1));
    let first = first.map_or(period, |first| time(first, period));
    if period == Span::ZERO {
        let says =
            "a cycle of 0 seconds would never let time pass; write a period such as 1s, or `on change`";
        f.add(codes::DURATION, at(), says, set(at(), "1s", "Set the cycle to 1s"));
    }
    Rhythm::Every { period, first }
}

/// Reports all settings, for a policy that has none.
fn no_switches(s: &Scenario, says: &str, f: &mut Findings) {
    for name in s.settings.keys() {
        unknown(s, name, &[], says, f);
    }
}

/// Reports a setting that the policy does not have.
pub fn unknown(s: &Scenario, name: &str, known: &[&'static str], else_says: &str, f: &mut Findings) {
    if f.only_counts(codes::SETTING) {
        return;
    }
    let at = Path::default().field("settings").field(name);
    let near = nearest(name, known.iter().copied());
    let hint = near.map_or_else(|| else_says.to_string(), |near| format!("did you mean `{near}`?"));
    let mut fix = set(at.clone(), "", format!("Remove the setting {}", quoted(name)));
    if let (Some(near), Some(fix)) = (near.filter(|near| !s.settings.contains_key(*near)), &mut fix) {
        fix.label = format!("Use {near}");
        let meant = Path::default().field("settings").field(near);
        let value = s.settings.get(name).map(|value| value.0.clone()).unwrap_or_default();
        fix.edits.push(Edit::Set { at: meant, value });
    }
    f.add(codes::SETTING, at, format!("the policy has no setting {}; {hint}", quoted(name)), fix);
}

/// Reports a value that a setting cannot have.
pub fn refused(name: &str, typed: &Scalar, wanted: &str, f: &mut Findings) {
    let at = Path::default().field("settings").field(name);
    let says = format!("{name} {} is not {wanted}", quoted(&typed.0));
    f.add(codes::SETTING_VALUE, at.clone(), says, set(at, "", format!("Use the default of {name}")));
}

/// What is expected instead of a value.
pub type Wanted = &'static str;

/// `true` or `false`.
pub fn switch(text: &str) -> Result<bool, Wanted> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err("true or false"),
    }
}
