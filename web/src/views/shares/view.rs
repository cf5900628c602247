//! Shares: one bullet row per queue.

use fairground::units::{Resource, ShownResource};
use std::collections::BTreeSet;

use fairground::moment::states::saturation;
use fairground::words::number::{self, amount, in_unit, resource_name, unit_of};
use fairground::words::{Selection, Terms};

use crate::chart::alternative::{Alternative, differences};
use crate::chart::marks::Mark;
use crate::chart::queue_tree::{Tone, Tree, touched, visible};
use crate::chart::selection::selected_queue;
use crate::chart::table::Table;
use crate::chart::{dominant, resource_projection};
use crate::engine::dominant::resource_of;
use crate::engine::protocol::{Amounts, BoundTriple, Frame, QueueRow};

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
    /// Text of the reference, such as `of 9`; else empty.
    pub of: String,
    /// Text of the request, such as `requests 10`.
    pub wants: String,
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
    let raw = frame;
    let frame = &*resource_projection::project(raw, resource);
    let changed = alternative.and_then(|alternative| alternative.changed);
    let alternative = alternative.map(|alternative| resource_projection::project(alternative.frame, resource));
    let tree = Tree::new(&frame.queues);
    let r = resource.position();
    let capacity = in_unit(resource, frame.total[r]);
    let touched = touched(frame);
    let selected = selected_queue(frame, selection);
    let terms = Terms::of(&frame.policy);
    let mut rows = vec![cluster_row(if resource == ShownResource::Dominant { raw } else { frame }, &tree, resource)];
    for position in visible(&frame.queues, &tree, collapsed) {
        let queue = &frame.queues[position as usize];
        let mut row = queue_row(queue, resource, &frame.policy);
        row.queue = Some(position);
        if resource == ShownResource::Dominant {
            let queue = &raw.queues[position as usize];
            row.counted_in = resource_of(&queue.allocated, &queue.request, &raw.total);
            row.facts.insert(0, ("counted in", resource_name(row.counted_in).to_string()));
        }
        row.depth = tree.depth(position) + 1;
        row.tone = tree.tone(position);
        row.changed = touched.contains(&position);
        row.selected = selected == Some(position);
        let other = alternative.as_deref().and_then(|alternative| alternative_of(&row, alternative, resource));
        put_alternative(&mut row, other, changed.is_some(), terms);
        rows.push(row);
    }
    let has_shares = frame.queues.iter().any(|queue| queue.fair_share.is_some());
    let most = rows.iter().map(|row| row.request.max(row.allocated)).fold(0.0, f64::max);
    let max = most.min(capacity * CUT).max(capacity).max(if capacity > 0.0 { 0.0 } else { most }).max(1e-9);
    let mut view = SharesView {
        summary: summary(frame, &tree, &rows[0].has, resource),
        resource,
        unit: [1.0, 2.0].map(|n| unit_of(&frame.named, resource, n).to_string()),
        max,
        capacity,
        reference: match resource.nth_named() {
            Some(_) => "",
            None => terms.word(if has_shares { "fair share" } else { "quota" }),
        },
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
    let [frame, was] = [frame, alternative.frame].map(|frame| resource_projection::project(frame, view.resource));
    let said = match differences(&frame, &was, view.resource) {
        said if said.is_empty() => Terms::of(&frame.policy).fill("no [queue] has more or less"),
        said => said,
    };
    view.summary += &format!(" Since {changed}: {said}.");
}

impl ShareRow {
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
            (Mark::NoLimit, self.limit == Some(f64::INFINITY)),
            (Mark::Wants, self.request > self.allocated),
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

fn pick(triple: &Amounts, resource: ShownResource) -> f64 {
    in_unit(resource, triple[resource.position()])
}

fn pick_bound(triple: &BoundTriple, resource: ShownResource) -> f64 {
    triple[resource.position()].map_or(f64::INFINITY, |base| in_unit(resource, base))
}

fn base(triple: &BoundTriple, resource: ShownResource) -> Option<f64> {
    triple[resource.position()]
}

fn queue_row(queue: &QueueRow, resource: ShownResource, policy: &str) -> ShareRow {
    let terms = Terms::of(policy);
    let is_compared = resource.is_accounted();
    let r = resource.position();
    let fair = queue.fair_share.as_ref().map(|share| base(share, resource));
    let reference = fair.unwrap_or_else(|| base(&queue.quota, resource));
    let is_divided = resource.nth_named().is_none();
    let saturation = saturation(policy, queue.allocated[r], queue, r).filter(|_| is_compared);
    let state = queue.states.get(r).filter(|_| is_compared).cloned();
    let usage = queue.usage.filter(|_| is_compared).map(|usage| usage[r] * 100.0);
    let mut facts = vec![("allocated", number::with_unit(resource, queue.allocated[r]))];
    let mut more = |there: bool, name, value: String| {
        if there {
            facts.push((terms.word_apart(name), value));
        }
    };
    let with_unit = |base| number::with_unit(resource, base);
    let bound = |base: Option<f64>| base.map_or_else(|| "unlimited".into(), with_unit);
    more(queue.claimed[r] > 0.0, "claimed", with_unit(queue.claimed[r]));
    more(queue.leaving[r] > 0.0, "leaving", with_unit(queue.leaving[r]));
    more(is_divided, "quota", bound(base(&queue.quota, resource)));
    more(fair.is_some(), "fair share", bound(fair.flatten()));
    more(saturation.is_some(), "saturation ratio", number::ratio(saturation));
    more(usage.is_some(), "past usage", amount(ShownResource::Dominant, usage.unwrap_or_default()));
    more(state.is_some(), "state", state.clone().unwrap_or_default());
    more(is_divided, "limit", bound(base(&queue.limit, resource)));
    let private = queue.private.map(|private| private[r]);
    more(private.is_some(), "on owned nodes", with_unit(private.unwrap_or_default()));
    let is_over = queue.over_limit[r] > 0.0;
    more(is_over, "reclaimed first", with_unit(queue.over_limit[r]));
    more(true, "requested", with_unit(queue.request[r]));
    more(queue.non_preemptible[r] > 0.0, "non-preemptible", with_unit(queue.non_preemptible[r]));
    let claimed = pick(&queue.claimed, resource);
    ShareRow {
        name: queue.name.clone(),
        allocated: pick(&queue.allocated, resource),
        private: private.map(|base| in_unit(resource, base)),
        locked: pick(&queue.non_preemptible, resource),
        leaving: pick(&queue.leaving, resource),
        claimed,
        request: pick(&queue.request, resource),
        quota: is_divided.then(|| pick_bound(&queue.quota, resource)),
        fair_share: queue.fair_share.as_ref().map(|share| pick_bound(share, resource)),
        limit: is_divided.then(|| pick_bound(&queue.limit, resource)),
        saturation,
        usage,
        state,
        has: amount(resource, queue.allocated[r]),
        plus: if claimed > 0.0 { format!("+{}", amount(resource, queue.claimed[r])) } else { String::new() },
        of: match (is_divided, reference) {
            (false, _) => String::new(),
            (true, None) => "of ∞".into(),
            (true, Some(base)) => format!("of {}", amount(resource, base)),
        },
        wants: match is_over {
            true => format!("{} reclaimed first", amount(resource, queue.over_limit[r])),
            false => format!("requests {}", amount(resource, queue.request[r])),
        },
        facts,
        ..ShareRow::default()
    }
}

fn cluster_row(frame: &Frame, tree: &Tree, resource: ShownResource) -> ShareRow {
    let r = resource.position();
    let sum = |what: fn(&QueueRow) -> &Amounts| -> Amounts {
        let of = |r: usize| tree.tops().iter().map(|top| what(&frame.queues[*top as usize])[r]).sum();
        [of(0), of(1), of(2)].into()
    };
    let mut all = QueueRow {
        allocated: sum(|q| &q.allocated),
        leaving: sum(|q| &q.leaving),
        request: sum(|q| &q.request),
        non_preemptible: sum(|q| &q.non_preemptible),
        ..QueueRow::default()
    };
    let mut total = frame.total;
    if resource == ShownResource::Dominant {
        all = dominant::row(&all, &total);
        total = [0.0, 0.0, 100.0].into();
    }
    ShareRow {
        name: "cluster".into(),
        allocated: pick(&all.allocated, resource),
        locked: pick(&all.non_preemptible, resource),
        leaving: pick(&all.leaving, resource),
        request: pick(&all.request, resource),
        has: amount(resource, all.allocated[r]),
        of: format!("of {}", amount(resource, total[r])),
        wants: format!("requests {}", amount(resource, all.request[r])),
        facts: vec![
            ("allocated", number::with_unit(resource, all.allocated[r])),
            ("capacity", amount(resource, total[r])),
            ("requested", amount(resource, all.request[r])),
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
    let allocated = pick(&queue.allocated, resource);
    let share = queue.fair_share.as_ref().map(|share| pick_bound(share, resource));
    (allocated != row.allocated || share != row.fair_share)
        .then_some((allocated, share.filter(|_| share != row.fair_share)))
}

fn summary(frame: &Frame, tree: &Tree, used: &str, resource: ShownResource) -> String {
    let terms = Terms::of(&frame.policy);
    let r = resource.position();
    let leaves: Vec<&QueueRow> = tree
        .order()
        .iter()
        .filter(|queue| tree.children(**queue).is_empty())
        .map(|queue| &frame.queues[*queue as usize])
        .collect();
    let over: Vec<String> = leaves
        .iter()
        .filter_map(|queue| {
            let over = queue.allocated[r] - queue.quota[r]?;
            (over > 1e-9).then(|| {
                format!("{} uses {} over its {}", queue.name, number::with_unit(resource, over), terms.word("quota"))
            })
        })
        .collect();
    let short: Vec<String> = leaves
        .iter()
        .filter_map(|queue| {
            let share = queue.fair_share.as_ref().map_or(queue.quota[r], |share| share[r])?;
            let missing = share.min(queue.request[r]) - queue.allocated[r];
            let share = terms.word("fair share");
            (missing > 1e-9)
                .then(|| format!("{} is {} below its {share}", queue.name, number::with_unit(resource, missing)))
        })
        .collect();
    let mut said = format!(
        "{} of {} {} allocated",
        used,
        amount(resource, frame.total[r]),
        unit_of(&frame.named, resource, in_unit(resource, frame.total[r]))
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
