//! Shares: one bullet row per queue.

use fairground::units::{Resource, ShownResource};
use std::collections::BTreeSet;

use fairground::moment::states::saturation;
use fairground::words::number::{self, amount, in_unit, resource_name, unit_of};
use fairground::words::{Selection, Terms};

use crate::chart::alternative::{Alternative, differences};
use crate::chart::counted_in::{CountedIn, total_in};
use crate::chart::marks::Mark;
use crate::chart::queue_tree::{Tone, Tree, touched, visible};
use crate::chart::selection::selected_queue;
use crate::chart::table::Table;
use crate::engine::protocol::{Amounts, Frame, QueueRow};

/// View model of Shares. Amounts are in display units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SharesView {
    /// Summary sentence.
    pub summary: String,
    /// The resource that is shown.
    pub resource: ShownResource,
    /// Singular and plural of the unit.
    pub unit: [String; 2],
    /// The right end of the scale.
    pub max: f64,
    /// Total capacity.
    pub capacity: f64,
    /// Reference of a row: `fair share`, `quota`, or empty.
    pub reference: &'static str,
    /// The cluster, then the queues.
    pub rows: Vec<ShareRow>,
    /// Marks that occur.
    pub marks: BTreeSet<Mark>,
    /// Policy whose terms are used.
    pub policy: String,
    /// `before` (baseline) or `ghost` (preview); empty without an alternative.
    pub alternative: &'static str,
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShareRow {
    /// Name of the queue; `cluster` for the whole.
    pub name: String,
    /// Index of the queue; `None`: the cluster.
    pub queue: Option<u32>,
    /// Level in the tree.
    pub depth: u32,
    /// The resource of its amounts, if each queue has its own.
    pub counted_in: Resource,
    pub tone: Tone,
    /// Allocated, without leaving pods.
    pub allocated: f64,
    /// Amount on nodes owned by the queue or an ancestor; `None` if no queue owns nodes.
    pub private: Option<f64>,
    /// Allocated to non-preemptible jobs.
    pub locked: f64,
    /// Held by evicted pods.
    pub leaving: f64,
    /// Claimed for pods that are not placed yet.
    pub claimed: f64,
    /// Allocated plus pending.
    pub request: f64,
    /// Quota; infinite if unlimited; `None` for the cluster.
    pub quota: Option<f64>,
    /// Fair share, if the policy has one; infinite if unlimited.
    pub fair_share: Option<f64>,
    /// Limit; infinite if there is none; `None` for the cluster.
    pub limit: Option<f64>,
    /// Allocated divided by fair share, for policies whose reclaim compares it.
    pub saturation: Option<f64>,
    /// Past usage as a percentage of the cluster.
    pub usage: Option<f64>,
    /// State of the queue, for policies with queue states.
    pub state: Option<String>,
    /// Changed by the last step.
    pub changed: bool,
    pub selected: bool,
    /// Allocated and fair share of the alternative, if they differ.
    pub alternative: Option<(f64, Option<f64>)>,
    /// The alternative is the baseline before an edit.
    pub was: bool,
    /// Text of the allocation.
    pub has: String,
    /// Text of the claimed amount, such as `+2`; else empty.
    pub plus: String,
    /// Text of the reference, of the cluster that of its capacity, such as `of 9`; else empty.
    pub of: String,
    /// Text of the request.
    pub wants: String,
    /// Text of what is reclaimed first, such as `1 reclaimed first`; else empty.
    pub first: String,
    /// Names and values for the tooltip and for screen readers.
    pub facts: Vec<(&'static str, String)>,
}

/// Largest request shown to scale, as a multiple of the capacity.
const CUT: f64 = 1.25;

/// The view of a frame.
pub fn shares(
    frame: &Frame,
    alternative: Option<Alternative<'_>>,
    selection: Option<&Selection>,
    resource: ShownResource,
    collapsed: &[String],
) -> SharesView {
    let changed = alternative.and_then(|alternative| alternative.changed);
    let tree = Tree::new(&frame.queues);
    let capacity = in_unit(resource, total_in(resource, &frame.total));
    let touched = touched(frame);
    let selected = selected_queue(frame, selection);
    let terms = Terms::of(&frame.policy);
    let mut rows = vec![cluster_row(frame, &tree, resource)];
    for position in visible(&frame.queues, &tree, collapsed) {
        let queue = &frame.queues[position as usize];
        let mut row = queue_row(queue, frame, resource);
        row.queue = Some(position);
        if resource == ShownResource::Dominant {
            row.facts.insert(0, ("counted in", resource_name(row.counted_in).to_string()));
        }
        row.depth = tree.depth(position) + 1;
        row.tone = tree.tone(position);
        row.changed = touched.contains(&position);
        row.selected = selected == Some(position);
        let other = alternative.and_then(|alternative| alternative_of(&row, alternative.frame, resource));
        put_alternative(&mut row, other, changed.is_some(), terms);
        rows.push(row);
    }
    let has_shares = rows.iter().any(|row| row.fair_share.is_some());
    let most = rows.iter().map(|row| row.request.max(row.allocated)).fold(0.0, f64::max);
    let max = most.min(capacity * CUT).max(capacity).max(if capacity > 0.0 { 0.0 } else { most }).max(1e-9);
    let mut view = SharesView {
        summary: summary(frame, &tree, &rows[0].has, resource),
        resource,
        unit: [1.0, 2.0].map(|n| unit_of(&frame.named, resource, n).to_string()),
        max,
        capacity,
        reference: if resource.is_divided() { terms.word(if has_shares { "fair share" } else { "quota" }) } else { "" },
        policy: frame.policy.clone(),
        alternative: match (rows.iter().any(|row| row.alternative.is_some()), changed) {
            (false, _) => "",
            (true, None) => "ghost",
            (true, Some(_)) => "before",
        },
        rows,
        marks: BTreeSet::new(),
    };
    view.marks = view.rows.iter().flat_map(|row| row.marks(view.capacity)).collect();
    view
}

/// Adds the changes since the baseline to the summary.
pub fn say_since(view: &mut SharesView, frame: &Frame, alternative: Alternative<'_>) {
    let Some(changed) = alternative.changed else { return };
    let said = match differences(frame, alternative.frame, view.resource) {
        said if said.is_empty() => Terms::of(&frame.policy).fill("no [queue] has more or less"),
        said => said,
    };
    view.summary += &format!(" Since {changed}: {said}.");
}

impl ShareRow {
    /// The part of the quota that is neither used nor requested, from its start to its end.
    pub fn unused(&self) -> Option<(f64, f64)> {
        let from = self.request.max(self.allocated + self.leaving.max(self.claimed));
        self.quota.filter(|quota| quota.is_finite() && *quota > from).map(|quota| (from, quota))
    }

    /// Ends of the solid part and of the ╱ part: quota, and the larger of quota and fair share.
    pub fn steps(&self) -> (f64, f64) {
        let Some(quota) = self.quota else { return (self.allocated, self.allocated) };
        let within = self.allocated.min(self.private.unwrap_or(quota));
        let over = self.allocated.min(quota.max(self.fair_share.unwrap_or(f64::INFINITY)));
        (within, over)
    }

    fn marks(&self, capacity: f64) -> Vec<Mark> {
        let (within, over) = self.steps();
        let finite = |v: Option<f64>| v.is_some_and(|v| v.is_finite());
        [
            (Mark::Within, within > 0.0 && self.queue.is_some()),
            (Mark::Over, over > within),
            (Mark::Beyond, self.allocated > over),
            (Mark::Locked, self.locked > 0.0 && self.queue.is_some()),
            (Mark::Quota, self.quota.is_some()),
            (Mark::FairShare, self.fair_share.is_some()),
            (Mark::Limit, finite(self.limit) && self.limit <= Some(capacity * CUT)),
            (Mark::Wants, self.request > self.allocated),
            (Mark::Unused, self.unused().is_some()),
            (Mark::Claimed, self.claimed > 0.0),
            (Mark::Leaving, self.leaving > 0.0),
            (Mark::Changed, self.changed),
            (Mark::Preview, self.alternative.is_some() && !self.was),
            (Mark::Before, self.alternative.is_some() && self.was),
        ]
        .into_iter()
        .filter_map(|(mark, there)| there.then_some(mark))
        .collect()
    }

    /// The row as one sentence for screen readers.
    pub fn sentence(&self) -> String {
        let facts: Vec<String> = self.facts.iter().map(|(name, value)| format!("{name} {value}")).collect();
        format!("{}: {}", self.name, facts.join(", "))
    }
}

fn queue_row(queue: &QueueRow, frame: &Frame, resource: ShownResource) -> ShareRow {
    let terms = Terms::of(&frame.policy);
    let unit = CountedIn::of_queue(resource, queue, &frame.total);
    let is_compared = resource.is_accounted();
    let r = resource.accounted().index();
    let is_divided = resource.is_divided();
    let [allocated, claimed, leaving] = [queue.allocated, queue.claimed, queue.leaving].map(|of| unit.base(&of));
    let [request, locked] = [queue.request, queue.non_preemptible].map(|of| unit.base(&of));
    let [quota, limit] = [queue.quota, queue.limit].map(|bounds| unit.bound(&bounds));
    let fair = queue.fair_share.filter(|_| is_divided).map(|share| unit.bound(&share));
    let private = queue.private.filter(|_| is_divided).map(|private| unit.base(&private));
    let first = if is_divided { unit.base(&queue.over_limit) } else { 0.0 };
    let saturation = saturation(&frame.policy, queue.allocated[r], queue, r).filter(|_| is_compared);
    let state = queue.states.get(r).filter(|_| is_compared).cloned();
    let usage = queue.usage.filter(|_| is_compared).map(|usage| usage[r] * 100.0);
    let with_unit = |base| number::with_unit(resource, base);
    let bound = |base: Option<f64>| base.map_or_else(|| "unlimited".into(), with_unit);
    let mut facts = vec![("allocated", with_unit(allocated))];
    let mut more = |there: bool, name, value: String| {
        if there {
            facts.push((terms.word_apart(name), value));
        }
    };
    more(claimed > 0.0, "claimed", with_unit(claimed));
    more(leaving > 0.0, "leaving", with_unit(leaving));
    more(is_divided, "quota", bound(quota));
    more(fair.is_some(), "fair share", bound(fair.flatten()));
    more(saturation.is_some(), "saturation ratio", number::ratio(saturation));
    more(usage.is_some(), "past usage", amount(ShownResource::Dominant, usage.unwrap_or_default()));
    more(state.is_some(), "state", state.clone().unwrap_or_default());
    more(is_divided, "limit", bound(limit));
    more(private.is_some(), "on owned nodes", with_unit(private.unwrap_or_default()));
    more(first > 0.0, "reclaimed first", with_unit(first));
    more(true, "requested", with_unit(request));
    more(locked > 0.0, "non-preemptible", with_unit(locked));
    let shown = |base| in_unit(resource, base);
    let shown_bound = |base: Option<f64>| base.map_or(f64::INFINITY, shown);
    ShareRow {
        name: queue.name.clone(),
        counted_in: unit.resource,
        allocated: shown(allocated),
        private: private.map(shown),
        locked: shown(locked),
        leaving: shown(leaving),
        claimed: shown(claimed),
        request: shown(request),
        quota: is_divided.then(|| shown_bound(quota)),
        fair_share: fair.map(shown_bound),
        limit: is_divided.then(|| shown_bound(limit)),
        saturation,
        usage,
        state,
        has: amount(resource, allocated),
        plus: if claimed > 0.0 { format!("+{}", amount(resource, claimed)) } else { String::new() },
        of: match (is_divided, fair.unwrap_or(quota)) {
            (false, _) => String::new(),
            (true, None) => "∞".into(),
            (true, Some(base)) => amount(resource, base),
        },
        wants: amount(resource, request),
        first: if first > 0.0 { format!("{} reclaimed first", amount(resource, first)) } else { String::new() },
        facts,
        ..ShareRow::default()
    }
}

fn cluster_row(frame: &Frame, tree: &Tree, resource: ShownResource) -> ShareRow {
    let sum = |what: fn(&QueueRow) -> &Amounts| {
        let mut sum = Amounts::default();
        for top in tree.tops() {
            let of_top = what(&frame.queues[*top as usize]);
            sum.iter_mut().zip(of_top.iter()).for_each(|(sum, amount)| *sum += amount);
        }
        sum
    };
    let (allocated, request) = (sum(|queue| &queue.allocated), sum(|queue| &queue.request));
    let unit = CountedIn::of(resource, &allocated, &request, &frame.total);
    let [allocated, request] = [allocated, request].map(|of| unit.base(&of));
    let [leaving, locked] = [sum(|queue| &queue.leaving), sum(|queue| &queue.non_preemptible)];
    let [leaving, locked] = [leaving, locked].map(|of| in_unit(resource, unit.base(&of)));
    let capacity = amount(resource, total_in(resource, &frame.total));
    ShareRow {
        name: "cluster".into(),
        allocated: in_unit(resource, allocated),
        locked,
        leaving,
        request: in_unit(resource, request),
        has: amount(resource, allocated),
        of: format!("of {capacity}"),
        wants: amount(resource, request),
        facts: vec![
            ("allocated", number::with_unit(resource, allocated)),
            ("capacity", capacity),
            ("requested", amount(resource, request)),
        ],
        ..ShareRow::default()
    }
}

/// Adds the alternative to a row and its description.
fn put_alternative(row: &mut ShareRow, alternative: Option<(f64, Option<f64>)>, was: bool, terms: &Terms) {
    row.was = was;
    row.alternative = alternative;
    let Some((allocated, share)) = alternative else { return };
    let mut said = number::number(allocated);
    if let Some(share) = share {
        said += &format!(", {} {}", terms.word_apart("fair share"), number::number(share));
    }
    row.facts.push((if was { "before" } else { "would have" }, said));
}

fn alternative_of(row: &ShareRow, alternative: &Frame, resource: ShownResource) -> Option<(f64, Option<f64>)> {
    let queue = &alternative.queues[alternative.position(&row.name, row.queue? as usize)?];
    let unit = CountedIn::of_queue(resource, queue, &alternative.total);
    let allocated = in_unit(resource, unit.base(&queue.allocated));
    let fair_share = queue.fair_share.filter(|_| resource.is_divided());
    let fair_share = fair_share.map(|share| unit.bound(&share).map_or(f64::INFINITY, |base| in_unit(resource, base)));
    let is_same = fair_share == row.fair_share;
    (allocated != row.allocated || !is_same).then_some((allocated, fair_share.filter(|_| !is_same)))
}

fn summary(frame: &Frame, tree: &Tree, used: &str, resource: ShownResource) -> String {
    let terms = Terms::of(&frame.policy);
    let leaves = tree.order().iter().filter(|queue| tree.children(**queue).is_empty());
    let leaves: Vec<(&QueueRow, CountedIn)> = leaves
        .map(|queue| &frame.queues[*queue as usize])
        .map(|row| (row, CountedIn::of_queue(resource, row, &frame.total)))
        .collect();
    let over = leaves.iter().filter_map(|(queue, unit)| {
        let over = unit.base(&queue.allocated) - unit.bound(&queue.quota)?;
        let said = number::with_unit(resource, over);
        (over > 1e-9).then(|| format!("{} uses {said} over its {}", queue.name, terms.word("quota")))
    });
    let short = leaves.iter().filter_map(|(queue, unit)| {
        let share = unit.bound(queue.fair_share.as_ref().unwrap_or(&queue.quota))?;
        let missing = share.min(unit.base(&queue.request)) - unit.base(&queue.allocated);
        let said = number::with_unit(resource, missing);
        (missing > 1e-9).then(|| format!("{} is {said} below its {}", queue.name, terms.word("fair share")))
    });
    let [over, short]: [Vec<String>; 2] = [over.collect(), short.collect()];
    let total = total_in(resource, &frame.total);
    let mut said = format!(
        "{} of {} {} allocated",
        used,
        amount(resource, total),
        unit_of(&frame.named, resource, in_unit(resource, total))
    );
    for list in [over, short] {
        match &list[..] {
            [] => {}
            [one] => said += &format!("; {one}"),
            [one, rest @ ..] => {
                said += &format!("; {one}, and {} more", number::count(rest.len() as u64, terms.word("queue")))
            }
        }
    }
    said + "."
}

/// The view as a table.
pub fn table(view: &SharesView) -> Table {
    let text = |v: Option<f64>| v.map_or_else(|| "–".into(), number::number);
    let unit = &view.unit[1];
    let terms = Terms::of(&view.policy);
    let says = |word: &'static str| terms.word_apart(word);
    let captions =
        ["allocated", "claimed", "shutting down", "quota", "fair share", "limit", "requested", "non-preemptible"];
    let mut head = vec![says("queue").to_string()];
    let counted_in = view.resource == ShownResource::Dominant;
    head.extend(counted_in.then(|| "counted in".to_string()));
    head.extend(captions.iter().map(|c| format!("{}, {unit}", says(c))));
    let has_ratio = view.rows.iter().any(|row| row.saturation.is_some());
    let has_state = view.rows.iter().any(|row| row.state.is_some());
    head.extend(has_ratio.then(|| "saturation ratio".to_string()));
    let has_usage = view.rows.iter().any(|row| row.usage.is_some());
    head.extend(has_usage.then(|| "past usage, %".to_string()));
    head.extend(has_state.then(|| "state".to_string()));
    if !view.alternative.is_empty() {
        head.extend(["allocated", "fair share"].map(|c| format!("{} ({}), {unit}", says(c), view.alternative)));
    }
    let row = |row: &ShareRow| {
        let numbers = [
            Some(row.allocated),
            Some(row.claimed),
            Some(row.leaving),
            row.quota,
            row.fair_share,
            row.limit,
            Some(row.request),
            Some(row.locked),
        ];
        let mut cells = vec![row.name.clone()];
        let whose = row.queue.map_or("–", |_| resource_name(row.counted_in));
        cells.extend(counted_in.then(|| whose.to_string()));
        cells.extend(numbers.into_iter().map(text));
        let ratio = || row.saturation.map_or_else(|| "–".into(), |of| number::ratio(Some(of)));
        cells.extend(has_ratio.then(ratio));
        cells.extend(has_usage.then(|| text(row.usage)));
        cells.extend(has_state.then(|| row.state.clone().unwrap_or_else(|| "–".into())));
        if !view.alternative.is_empty() {
            let (has, share) = row.alternative.unwrap_or((row.allocated, None));
            cells.extend([Some(has), share.or(row.fair_share)].map(text));
        }
        cells
    };
    Table::new(head, 1 + usize::from(counted_in), view.rows.iter().map(row))
}
