//! Random values that only the newest modelled revision of KAI reads. They are drawn from numbers of their own, so that
//! the rest of a scenario is the same with and without them.

use std::sync::Arc;

use fairground::policy::kai::config::{DEFAULT_PLUGINS, Revision, SEARCH_PLUGINS};
use fairground::scenario::{JobEntry, Scalar, Scenario};

use crate::draw::Draw;

/// Adds values to a scenario if its version reads them.
pub fn add(scenario: &mut Scenario, seed: u64) {
    let version = scenario.settings.get("version").and_then(|version| Revision::named(&version.0));
    if scenario.policy != "kai" || version != Some(Revision::NEWEST) {
        return;
    }
    let d = &mut Draw::new(seed ^ 0x17_0000_0000);
    if d.in_hundred(30) {
        scenario.settings.insert("stuck-in-releasing-threshold".into(), d.one_of(&["0s", "1s", "3s"]).into());
    }
    if d.in_hundred(15) {
        let search: &[&str] = match d.below(3) {
            0 => &SEARCH_PLUGINS[..1],
            1 => &SEARCH_PLUGINS[1..],
            _ => &[SEARCH_PLUGINS[1], SEARCH_PLUGINS[0]],
        };
        let plugins: Vec<&str> = DEFAULT_PLUGINS.iter().chain(search).copied().collect();
        scenario.settings.entry("plugins".into()).or_insert_with(|| Scalar(plugins.join(", ")));
    }
    if d.in_hundred(30) {
        scenario.settings.insert("queue-priority-in-quota-reclaim".into(), "true".into());
    }
    Arc::make_mut(&mut scenario.jobs).iter_mut().for_each(|job| add_to_job(job, d));
}

fn add_to_job(job: &mut JobEntry, d: &mut Draw) {
    job.preemption_delay = d.typed(&["-", "-", "-", "2s", "5s"]);
    job.staleness_grace = d.typed(&["-", "-", "-", "0s", "2s", "unlimited"]);
    if job.pod_sets.is_empty() {
        if d.in_hundred(12) {
            job.min_available = Some("0".into());
        }
        return;
    }
    for set in &mut job.pod_sets {
        if d.in_hundred(20) {
            set.min_available = Some("0".into());
        }
        set.group = d.one_of(&["", "", "replicas", "replicas/inner"]).to_string();
    }
    job.min_subgroups = d.typed(&["-", "1", "2"]);
    if d.in_hundred(40) {
        job.min_subgroups_of.insert("replicas".into(), d.one_of(&["1", "2"]).into());
    }
}
