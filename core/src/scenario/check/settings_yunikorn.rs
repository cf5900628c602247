//! The switches of YuniKorn: those of the partition by name, those of a queue as `priority.policy.team-a`.

use super::super::codes;
use super::super::diagnostic::Path;
use super::super::schema::Scenario;
use super::settings::{Wanted, switch, unknown};
use crate::policy::yunikorn::config::{Config, PROPERTIES, SETTINGS, parse_duration};
use crate::scenario::findings::{Findings, quoted, set};

/// Reads all of them.
pub fn yunikorn(s: &Scenario, f: &mut Findings) -> Config {
    let mut config = Config::default();
    for (name, typed) in &s.settings {
        let text = typed.0.trim();
        let of_queue = PROPERTIES.iter().find_map(|property| {
            let queue = name.strip_prefix(property)?.strip_prefix('.')?;
            (queue == "root" || s.queues.iter().any(|q| q.name == queue)).then_some((*property, queue))
        });
        let read = match (of_queue, name.as_str()) {
            (Some((property, queue)), _) => {
                let written = config.queues.entry(queue.to_string()).or_default();
                written.insert(property.to_string(), text.to_string());
                property_is_known(property, text)
            }
            (None, "node-sort") => {
                config.node_sort = text.to_string();
                if ["fair", "binpacking"].contains(&text) { Ok(()) } else { Err("fair or binpacking") }
            }
            (None, "preemption") => switch(text).map(|on| config.preemption = on),
            _ => {
                let properties = PROPERTIES.join(", ");
                let says = format!(
                    "it has {}, and for a queue, as in priority.policy.NAME: {properties}",
                    SETTINGS.join(", ")
                );
                unknown(s, name, &SETTINGS, &says, f);
                continue;
            }
        };
        if let Err(wanted) = read {
            let at = Path::default().field("settings").field(name);
            let says = format!("{name} {} is not {wanted}", quoted(&typed.0));
            let fix = set(at.clone(), "", format!("Use the default of {name}"));
            f.add(codes::SETTING_VALUE, at, says, fix);
        }
    }
    config
}

/// Upstream takes bad values for defaults without a word; here they are said.
fn property_is_known(property: &str, text: &str) -> Result<(), Wanted> {
    let one_of = |all: &[&str]| all.iter().any(|known| text.eq_ignore_ascii_case(known));
    let (known, wanted) = match property {
        "application.sort.policy" => (one_of(&["fifo", "fair"]), "fifo or fair"),
        "application.sort.priority" => (one_of(&["enabled", "disabled"]), "enabled or disabled"),
        "priority.policy" => (one_of(&["default", "fence"]), "default or fence"),
        "priority.offset" => (text.parse::<i32>().is_ok(), "a whole number of 32 bits"),
        "preemption.policy" => (one_of(&["default", "fence", "disabled"]), "default, fence or disabled"),
        _ => (parse_duration(text).is_some_and(|d| d > 0), "a duration such as 30s"),
    };
    if known { Ok(()) } else { Err(wanted) }
}
