//! A moment as plain text for tickets and chats: events, allocation of queues, pods on each GPU, and a link.
//!
//! It is readable without Markdown in any fixed-width font.

use super::{Selection, at_rest, number, why_with};
use crate::moment::{Cell, EventChecks, Frame, NodeCard, QueueRow};
use crate::policy::Policy;
use crate::policy::vocabulary::Terms;
use crate::units::Resource;

/// Largest number of table rows, and of GPUs per node.
const ROWS_MAX: usize = 40;
const CELLS_MAX: usize = 16;

/// The text of a moment, with the explanation of the selection if there is one; `checks` as in [`why_with`].
pub fn ticket(
    frame: &Frame,
    title: &str,
    selection: Option<&Selection>,
    checks: Option<&EventChecks>,
    link: &str,
) -> String {
    let resource = frame.names.resource;
    let explained = match selection {
        Some(selection) => why_with(frame, None, selection, None, checks, resource),
        None => at_rest(frame),
    };
    let policy = Policy::described_or_default(&frame.policy);
    let title = if title.is_empty() { "Scenario" } else { title };
    let mut lines = vec![format!(
        "{}: cycle {} at {}, {}",
        one_line(title),
        frame.cycle,
        number::time(frame.time_ms),
        policy.title
    )];
    lines.extend(explained.lines().iter().map(|line| one_line(line)));
    lines.push(String::new());
    lines.extend(queues(frame, resource));
    let cells = nodes(frame);
    if !cells.is_empty() {
        lines.push(String::new());
        lines.extend(cells);
    }
    lines.push(String::new());
    lines.push(link.to_string());
    lines.join("\n") + "\n"
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Allocation of the queues, one line each, indented by level.
fn queues(frame: &Frame, resource: Resource) -> Vec<String> {
    let terms = Terms::of(&frame.policy);
    let index = resource.index();
    let has_share = frame.queues.iter().any(|row| row.fair_share.is_some());
    let unit = number::unit(resource, 2.0);
    let mut head = vec![format!("{}, {unit}", terms.word("queue")), "allocated".into(), terms.word("quota").into()];
    head.extend(has_share.then(|| terms.word("fair share").into()));
    head.push("requested".into());
    let row = |row: &QueueRow| {
        let depth =
            std::iter::successors(row.parent, |index| frame.queues.get(*index as usize)?.parent).take(ROWS_MAX).count();
        let mut cells = vec![
            format!("{}{}", "  ".repeat(depth), one_line(&row.name)),
            number::amount(resource, row.allocated[index]),
            number::bound(resource, row.quota.get(index).copied().flatten()),
        ];
        if has_share {
            let share = row.fair_share.and_then(|share| share.get(index).copied());
            cells.push(share.map_or(String::new(), |share| number::bound(resource, share)));
        }
        cells.push(number::amount(resource, row.request[index]));
        cells
    };
    let mut rows: Vec<Vec<String>> = frame.queues.iter().take(ROWS_MAX).map(row).collect();
    rows.insert(0, head);
    let mut lines = aligned(&rows);
    let more = frame.queues.len().saturating_sub(ROWS_MAX);
    lines.extend((more > 0).then(|| format!("and {more} more")));
    lines
}

/// Aligns columns: the first to the left, numbers to the right.
fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let n = rows.first().map_or(0, Vec::len);
    let width = |i: usize| rows.iter().filter_map(|row| row.get(i)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..n).map(|i| width(i).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(i, (cell, &w))| if i == 0 { format!("{cell:<w$}") } else { format!("{cell:>w$}") });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    rows.iter().map(line).collect()
}

/// The job on each GPU, marked if it is terminating, and the job that claims it.
fn nodes(frame: &Frame) -> Vec<String> {
    let shown: Vec<&NodeCard> = frame.nodes.iter().filter(|node| !node.cells.is_empty()).take(ROWS_MAX).collect();
    let width = shown.iter().map(|node| node.name.chars().count()).max().unwrap_or(0);
    let line = |node: &&NodeCard| {
        let cells: Vec<String> = node.cells.iter().take(CELLS_MAX).map(|gpu| cell(frame, gpu)).collect();
        let more = if node.cells.len() > CELLS_MAX { " …" } else { "" };
        format!("{:<width$}  {}{more}", node.name, cells.join(" "))
    };
    let mut lines: Vec<String> = shown.iter().map(line).collect();
    if !lines.is_empty() {
        lines.insert(0, "GPUs: [job], [job-] is leaving, [job>next] is claimed, [ ] is free".to_string());
    }
    lines
}

fn cell(frame: &Frame, cell: &Cell) -> String {
    let pods = cell.pods.iter().map(|pod| format!("{}{}", frame.job(pod.job), if pod.leaving { "-" } else { "" }));
    let pods = pods.collect::<Vec<_>>().join("+");
    let claimed = cell.claimed.as_ref().map_or(String::new(), |claim| format!(">{}", frame.job(claim.job)));
    match format!("{pods}{claimed}") {
        empty if empty.is_empty() => "[ ]".to_string(),
        what => format!("[{}]", one_line(&what)),
    }
}
