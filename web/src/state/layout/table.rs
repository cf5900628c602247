//! Which values the tables of SETUP show. All others are in the form of their row.

use fairground::scenario::{Path, Segment};
use fairground::units::Resource;
use fairground::words::Terms;
use fairground::words::number::resource_key;

use super::options::SetupTab;

/// The queue, node group or job that a path belongs to.
pub fn owner(at: &Path) -> Option<Path> {
    match at.0.as_slice() {
        [Segment::Field(list), which @ Segment::Named(_), ..] if tab_of(list).is_some() => {
            Some(Path(vec![Segment::Field(list.clone()), which.clone()]))
        }
        _ => None,
    }
}

/// The name in the path's owner.
pub fn owner_name(at: &Path) -> &str {
    match at.0.get(1) {
        Some(Segment::Named(name)) => name,
        _ => "",
    }
}

/// The tab on which a value is edited.
pub fn tab(at: &Path) -> SetupTab {
    match at.0.first() {
        Some(Segment::Field(list)) => tab_of(list).unwrap_or(SetupTab::Rules),
        _ => SetupTab::Rules,
    }
}

fn tab_of(list: &str) -> Option<SetupTab> {
    match list {
        "queues" => Some(SetupTab::Queues),
        "nodes" => Some(SetupTab::Nodes),
        "jobs" => Some(SetupTab::Work),
        _ => None,
    }
}

/// Whether a table has a column for a path under a policy, while charts show that resource: 0 cpu, 1 memory, 2 gpu.
pub fn has_column(at: &Path, policy: &str, resource: Resource) -> bool {
    let terms = Terms::of(policy);
    let shown = resource_key(resource);
    let fields: Vec<&str> =
        at.0.iter()
            .skip(2)
            .map(|segment| match segment {
                Segment::Field(name) => name.as_str(),
                _ => "",
            })
            .collect();
    match (tab(at), fields.as_slice()) {
        (SetupTab::Rules, _) => true,
        (SetupTab::Queues, [field @ ("name" | "priority")]) => terms.reads(field),
        (SetupTab::Queues, [of, field @ ("quota" | "weight" | "limit")]) => *of == shown && terms.reads(field),
        (SetupTab::Nodes, ["name" | "count" | "gpu" | "cpu" | "memory"]) => true,
        (SetupTab::Work, ["name" | "queue" | "pods" | "priority" | "submit" | "lasts"]) => true,
        (SetupTab::Work, [of]) => *of == shown,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairground::policy::Policy;

    #[test]
    fn what_is_no_column_is_in_the_form() {
        let has = |at: &Path, resource| has_column(at, Policy::DEFAULT.key, resource);
        let queue = Path::default().field("queues").named("team-a");
        assert!(has(&queue.field("gpu").field("quota"), Resource::GPU));
        assert!(!has(&queue.field("gpu").field("quota"), Resource::CPU));
        assert!(!has(&queue.field("gpu").field("usage"), Resource::GPU));
        let job = Path::default().field("jobs").named("a1");
        assert!(has(&job.field("gpu"), Resource::GPU));
        assert!(!has(&job.field("preemptible"), Resource::GPU));
        assert!(!has(&job.field("pod-sets").named("w").field("gpu"), Resource::GPU));
        assert!(has(&Path::default().field("settings").field("k-value"), Resource::GPU));
        let weight = queue.field("gpu").field("weight");
        for policy in Policy::ALL {
            assert_eq!(has_column(&weight, policy.key, Resource::GPU), policy.queue.weight.is_some(), "{}", policy.key);
        }
        assert_eq!(owner(&job.field("gpu")), Some(job.clone()));
        assert_eq!(owner_name(&job.field("gpu")), "a1");
        assert_eq!(owner(&Path::default().field("cycle")), None);
    }
}
