//! Why these pods are evicted and not others: what the search tried, and where it ended.

use super::number::{count, with_unit};
use super::text::{self, Text, job, node, text};
use crate::id::{JobId, NodeId};
use crate::moment::{EventRow, Frame};
use crate::trace::{Emptied, Search};
use crate::units::Resource;

/// Largest number of nodes or pods that are named.
const NAMED: usize = 6;

/// Why the set of an evicted pod was selected.
pub fn of_eviction(frame: &Frame, event: &EventRow) -> Vec<Text> {
    let pod = event.pod();
    let freed_by = |pod| frame.searches.iter().find(|search| search.evicted.contains(&pod));
    let Some(search) = pod.and_then(freed_by) else { return Vec::new() };
    let (job, nodes) = (job(frame.job(search.job)), nodes(frame, &search.nodes));
    let pods = count(search.pods.into(), "[pod]");
    let once = if search.pods == 1 { "" } else { " at once" };
    let text = match search.tried {
        1 => text!(
            "{job} needs room for {pods}{once}. The first set of [evictions] that was tried, on {nodes}, is allowed and frees enough; larger ones were not tried.",
            [job, pods, once, nodes]
        ),
        tried => text!(
            "{job} needs room for {pods}{once}. {tried} sets of [evictions] were tried, on {nodes}; the last one is the first that is allowed and frees enough, and larger ones were not tried.",
            [job, pods, once, tried, nodes]
        ),
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
    let with = if search.nodes.len() == 1 { "The only [node] with" } else { "[Nodes] with" };
    let pods = count(search.pods.into(), "[pod]");
    let needs = match (search.placed, search.pods) {
        (0, 2..) => Some(text!(" It needs room for {pods} at once; not even for one of them a set sufficed.", [pods])),
        (placed, of) if placed < of && placed > 0 => Some(text!(
            " It needs room for {pods} at once; a set sufficed for {placed} of them at most.",
            [pods, placed]
        )),
        _ => None,
    };
    Some(text!(
        "{with} [pods] that could be evicted: {nodes}.{needs}",
        [with, nodes = nodes(frame, &search.nodes), needs]
    ))
}

/// The pods that counted as evicted for a job although they stay.
pub fn counted_as_made(frame: &Frame, job: JobId) -> Option<Text> {
    let unfinished = frame.unfinished.iter().find(|unfinished| unfinished.job == job)?;
    let pods = unfinished.evicted.iter().map(|(pod, _)| text::name(frame.names.pod(*pod)));
    let pods = Some(named(pods.collect(), "[pods]")).filter(|pods| !pods.is_empty())?;
    Some(text!(
        "One set of [evictions] was enough, but was not carried out. Until the end of the cycle these [pods] counted as [evicted], and stay: {pods}.",
        [pods]
    ))
}

/// Where several nodes are emptied at once: why these.
fn of_nodes(frame: &Frame, search: &Search, emptied: &Emptied) -> Option<Text> {
    let (fewest, n) = (emptied.fewest(), emptied.nodes.len());
    if n < 2 || emptied.needed <= 0.0 {
        return None;
    }
    let gpus = |gpus: f64| with_unit(Resource::GPU, gpus);
    let of_node = |(node_id, free): &(NodeId, f64)| {
        text!("{node} ({gpus})", [node = node(frame.node(*node_id)), gpus = gpus(*free)])
    };
    let nodes = Text::default().list(emptied.nodes.iter().take(NAMED).map(of_node).collect(), "and");
    let not_there = "but [evictions] there were not enough or not allowed.";
    let fewer = match fewest {
        fewest if fewest == n => {
            let sum = emptied.nodes[..n - 1].iter().map(|(_, gpus)| gpus).sum::<f64>();
            format!("One [node] fewer counts {}.", gpus(sum))
        }
        1 => format!("The first alone counts that many, {not_there}"),
        fewest => format!("The first {fewest} together count that many, {not_there}"),
    };
    // The search adds the GPUs that the queue is charged for each pod, which may be more than the node has.
    Some(text!(
        "Counted as free on the smallest of these [nodes], with the [pods] there that may be evicted: {nodes}; {job} lacks {gpus} elsewhere. {fewer}",
        [nodes, job = job(frame.job(search.job)), gpus = gpus(emptied.needed), fewer]
    ))
}

fn nodes(frame: &Frame, nodes: &[NodeId]) -> Text {
    named(nodes.iter().map(|node_id| node(frame.node(*node_id))).collect(), "[nodes]")
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
