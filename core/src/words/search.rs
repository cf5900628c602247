//! Why these pods are evicted and not others: what the search tried, and where it ended.

use super::number::{count, with_unit};
use super::text::Text;
use crate::id::{JobId, NodeId, PodId};
use crate::moment::{EventRow, Frame};
use crate::trace::{Emptied, Search};
use crate::units::Resource;

/// Largest number of nodes or pods that are named.
const NAMED: usize = 6;

/// Why the set of an evicted pod was selected.
pub fn of_eviction(frame: &Frame, event: &EventRow) -> Vec<Text> {
    let pod = event.pod();
    let found = frame.searches.iter().find(|search| pod.is_some_and(|pod| search.evicted.contains(&pod)));
    let Some(search) = found else { return Vec::new() };
    let text = Text::default().job(frame.job(search.job)).say(needs(search.pods));
    let text = match search.tried {
        1 => text
            .say("The first set of [evictions] that was tried, on ")
            .then(nodes(frame, &search.nodes))
            .say(", is allowed and frees enough; larger ones were not tried."),
        tried => text
            .say(format!("{tried} sets of [evictions] were tried, on "))
            .then(nodes(frame, &search.nodes))
            .say("; the last one is the first that is allowed and frees enough, and larger ones were not tried."),
    };
    let emptied = search.emptied.as_ref().and_then(|emptied| of_nodes(frame, search, emptied));
    std::iter::once(text).chain(emptied).collect()
}

/// What a search without result tried.
pub fn of_waiting(frame: &Frame, job: JobId) -> Option<Text> {
    let is_its = |search: &&Search| search.job == job && search.evicted.is_empty() && !search.nodes.is_empty();
    let search = frame.searches.iter().find(is_its)?;
    if frame.nodes.len() == 1 && search.pods < 2 {
        // There is no other node, and no smaller number of pods, to tell it from.
        return None;
    }
    let of = if search.nodes.len() == 1 { "The only [node] with " } else { "[Nodes] with " };
    let text = Text::of(of).say("[pods] that could be evicted: ").then(nodes(frame, &search.nodes)).say(".");
    Some(match (search.placed, search.pods) {
        (0, 2..) => text.say(format!(
            " It needs room for {} at once; not even for one of them a set sufficed.",
            count(search.pods.into(), "[pod]")
        )),
        (placed, pods) if placed < pods && placed > 0 => text.say(format!(
            " It needs room for {} at once; a set sufficed for {placed} of them at most.",
            count(pods.into(), "[pod]")
        )),
        _ => text,
    })
}

/// The pods that counted as evicted for a job although they stay.
pub fn counted_as_made(frame: &Frame, job: JobId) -> Option<Text> {
    let unfinished = frame.unfinished.iter().find(|unfinished| unfinished.job == job)?;
    let name = |(pod, _): &(PodId, NodeId)| Text::default().name(frame.names.pod(*pod));
    let pods: Vec<Text> = unfinished.evicted.iter().map(name).collect();
    (!pods.is_empty()).then(|| {
        Text::of("One set of [evictions] was enough, but was not carried out. Until the end of the cycle these [pods] counted as [evicted], and stay: ")
            .then(named(pods, "[pods]"))
            .say(".")
    })
}

/// Where several nodes are emptied at once: why these.
fn of_nodes(frame: &Frame, search: &Search, emptied: &Emptied) -> Option<Text> {
    let (fewest, n) = (emptied.fewest(), emptied.nodes.len());
    if n < 2 || emptied.needed <= 0.0 {
        return None;
    }
    let sum = |n: usize| emptied.nodes[..n].iter().map(|(_, gpus)| gpus).sum::<f64>();
    let of_node = |(node, gpus): &(NodeId, f64)| {
        Text::default().node(frame.node(*node)).say(format!(" ({})", with_unit(Resource::GPU, *gpus)))
    };
    // The search adds the GPUs that the queue is charged for each pod, which may be more than the node has.
    let text =
        Text::of("Counted as free on the smallest of these [nodes], with the [pods] there that may be evicted: ");
    let text = text.list(emptied.nodes.iter().take(NAMED).map(of_node).collect(), "and");
    let text = text.say("; ").job(frame.job(search.job));
    let text = text.say(format!(" lacks {} elsewhere. ", with_unit(Resource::GPU, emptied.needed)));
    let not_there = "but [evictions] there were not enough or not allowed.";
    Some(match fewest {
        fewest if fewest == n => text.say(format!("One [node] fewer counts {}.", with_unit(Resource::GPU, sum(n - 1)))),
        1 => text.say(format!("The first alone counts that many, {not_there}")),
        fewest => text.say(format!("The first {fewest} together count that many, {not_there}")),
    })
}

/// *ada needs room for 2 pods at once.*
fn needs(pods: u32) -> String {
    match pods {
        1 => " needs room for 1 [pod]. ".to_string(),
        pods => format!(" needs room for {} at once. ", count(pods.into(), "[pod]")),
    }
}

fn nodes(frame: &Frame, nodes: &[NodeId]) -> Text {
    named(nodes.iter().map(|node| Text::default().node(frame.node(*node))).collect(), "[nodes]")
}

/// A list of names; of many, the first ones and how many more there are.
fn named(mut names: Vec<Text>, what: &str) -> Text {
    if names.len() > NAMED {
        let more = Text::of(format!("{} more {what}", names.len() - NAMED + 1));
        names.truncate(NAMED - 1);
        names.push(more);
    }
    Text::default().list(names, "and")
}
