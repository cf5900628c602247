//! Optional parts of Timeline: the selected queue against its fair share, a separate row of followed events, a selected
//! range. Separate, because most visits have none of them.

use fairground::moment::EventKind;
use fairground::words::number::{self, count, in_unit, number};
use fairground::words::{Selection, Terms};

use super::view::{LaneEvent, Range, TimelineView, time_of};
use crate::chart::queue_tree::Tree;
use crate::engine::protocol::Amounts;
use crate::engine::protocol::{Frame, Run};
use crate::state::layout::options::EventLaneOptions;
use crate::views::timeline::view::Against;

/// Adds the chosen overlays to a view and removes events of hidden kinds.
pub fn add_overlays(view: &mut TimelineView, run: &Run, frame: &Frame, look: &EventLaneOptions) {
    view.share = against(view, run, frame);
    if let Some(share) = &view.share {
        let last = share.shares.last().copied().unwrap_or(f64::INFINITY);
        let word = Terms::of(&view.policy).word("fair share");
        view.caption = Some((last.min(view.max), format!("{}: {word} {}", share.name, number(last))));
        view.summary += &most(share, view);
    }
    follow(view, run, frame, look.followed.as_ref());
    view.leave_out(look.without);
    view.range = look.range.map(|(from, to)| Range { from, to, says: range_says(view, from, to) });
    if let Some(range) = &view.range {
        view.summary += &format!(" {}", range.says);
    }
}

/// The selected top queue against its fair share, unless that is always unlimited.
fn against(view: &TimelineView, run: &Run, frame: &Frame) -> Option<Against> {
    let name = view.top.as_ref().filter(|_| !view.apart)?;
    let queue = frame.queues.iter().position(|row| row.name == *name)? as u32;
    let r = view.resource.one()?.accounted()?.index();
    let of = |list: &[(u32, Amounts)]| {
        let base = list.iter().find(|amount| amount.0 == queue).map_or(0.0, |amount| amount.1[r]);
        in_unit(view.resource, base)
    };
    let mut against = Against { name: name.clone(), tone: Tree::new(&frame.queues).tone(queue), ..Against::default() };
    for point in &run.points {
        let share = point.fair_share.iter().find(|share| share.0 == queue)?.1[r];
        let share = share.map_or(f64::INFINITY, |share| in_unit(view.resource, share));
        let (held, wanted) = (of(&point.allocated), of(&point.request));
        against.held.push(held);
        against.shares.push(share);
        against.owed.push((share.min(wanted) - held).max(0.0));
        against.borrowed.push((held - share).max(0.0));
    }
    against.shares.iter().any(|share| share.is_finite()).then_some(against)
}

/// Maximum borrowed and owed amounts, as a sentence.
fn most(share: &Against, view: &TimelineView) -> String {
    let most = |amounts: &[f64]| amounts.iter().copied().fold(0.0, f64::max);
    let said = |amount: f64| format!("{} {}", number(amount), view.unit[usize::from(amount != 1.0)]);
    let name = &share.name;
    match (most(&share.borrowed), most(&share.owed)) {
        (0.0, 0.0) => String::new(),
        (borrowed, 0.0) => format!(" {name} borrowed up to {}.", said(borrowed)),
        (0.0, owed) => format!(" {name} was up to {} below its share.", said(owed)),
        (borrowed, owed) => {
            format!(" {name} borrowed up to {} and was up to {} below its share.", said(borrowed), said(owed))
        }
    }
}

/// Marks the followed events, and inserts those that are only counted.
fn follow(view: &mut TimelineView, run: &Run, frame: &Frame, followed: Option<&Selection>) {
    let (queue, job) = match followed {
        Some(Selection::Queue(name)) => (Some(name), None),
        Some(Selection::Job(name)) => (None, Some(name)),
        _ => (None, None),
    };
    view.followed = queue.or(job).cloned();
    let early = run.earlier.iter().filter_map(|(cycle, kind, n)| {
        let kind = EventKind::of(*kind).filter(|kind| *kind != EventKind::Claimed)?;
        let (job, queue) = (String::new(), String::new());
        Some(LaneEvent { cycle: *cycle, kind, job, queue, n: *n as usize, index: None, meant: true })
    });
    let early: Vec<LaneEvent> = early.collect();
    run.earlier.iter().filter_map(|early| EventKind::with(early.1)).for_each(|kind| view.kinds.put(kind, true));
    if !early.is_empty() {
        view.listed_from = Some(run.events.first().map_or(run.last_cycle + 1, |event| event.0));
        view.summary += &format!(" {}", listed(view).unwrap_or_default());
    }
    view.events.splice(0..0, early);
    let is_below = |name: &str, top: &String| {
        let mut at = frame.queues.iter().find(|row| row.name == name);
        for _ in 0..=frame.queues.len() {
            match at {
                Some(row) if row.name == *top => return true,
                Some(row) => at = row.parent.and_then(|parent| frame.queues.get(parent as usize)),
                None => return false,
            }
        }
        false
    };
    for event in &mut view.events {
        event.meant =
            job.is_none_or(|job| event.job == *job) && queue.is_none_or(|queue| is_below(&event.queue, queue));
    }
}

/// The moment from which events are listed individually.
pub fn listed(view: &TimelineView) -> Option<String> {
    let from = view.listed_from?;
    let row = match &view.followed {
        Some(name) => format!("; the row of {name} begins there. ] and [ find earlier ones"),
        None => String::new(),
    };
    Some(format!("Before cycle {from}, only totals are shown{row}."))
}

/// Average allocation and events in a range.
fn range_says(view: &TimelineView, from: u32, to: u32) -> String {
    let mean = |amount: &dyn Fn(usize) -> f64| {
        let (mut sum, mut n) = (0.0, 0.0);
        for (i, first) in view.cycles.iter().enumerate() {
            let next = view.cycles.get(i + 1).copied().unwrap_or(view.last.saturating_add(1));
            let within = f64::from(next.min(to.saturating_add(1)).saturating_sub((*first).max(from)));
            sum += if within > 0.0 { amount(i) * within } else { 0.0 };
            n += within;
        }
        if n > 0.0 { sum / n } else { 0.0 }
    };
    let mut parts = Vec::new();
    if !view.apart {
        let held = mean(&|i| view.bands.iter().map(|band| band.amounts[i]).sum());
        let capacity = mean(&|i| view.capacity[i]);
        let unit = &view.unit[usize::from(capacity != 1.0)];
        parts.push(format!("on average {} of {} {unit} allocated", number(held), number(capacity)));
    }
    if let (Some(name), Some(band)) = (&view.top, view.bands.first())
        && band.name == *name
    {
        parts.push(format!("{name} held {}", number(mean(&|i| band.amounts[i]))));
    }
    if let Some(share) = &view.share {
        let owed = number(mean(&|i| share.owed[i]));
        parts.push(format!("was owed {owed} and borrowed {}", number(mean(&|i| share.borrowed[i]))));
    }
    let within = view.events.iter().filter(|event| event.meant && (from..=to).contains(&event.cycle));
    let within: Vec<&LaneEvent> = within.collect();
    let n_of = |kind: EventKind| within.iter().filter(|event| event.kind == kind).map(|event| event.n).sum();
    let happened = EventKind::ALL.into_iter().filter_map(|kind| {
        let n: usize = n_of(kind);
        (n > 0).then(|| format!("{n} {}", kind.name(Terms::of(&view.policy))))
    });
    let happened: Vec<String> = happened.collect();
    let of = view.followed.as_ref().map_or(String::new(), |name| format!("{name}: "));
    parts.push(match happened[..] {
        [] => format!("{of}no event"),
        _ => format!("{of}{}", happened.join(", ")),
    });
    let time = |cycle| time_of(view, cycle).map_or_else(String::new, number::time);
    format!("Cycles {from} to {to}, {} to {}: {}.", time(from), time(to), parts.join("; "))
}

/// Which events jumps stop at, unless they stop at every event.
pub fn stops_at(view: &TimelineView, look: &EventLaneOptions) -> Option<String> {
    let terms = Terms::of(&view.policy);
    let without: Vec<String> = look.without.all().map(|kind| kind.name(terms)).collect();
    let without = match (&without[..], without.len()) {
        ([], _) => String::new(),
        (_, n) if n > 3 => format!(", without {}", count(n as u64, "kind")),
        _ => format!(", without {}", without.join(", ")),
    };
    match &view.followed {
        None if without.is_empty() => None,
        None => Some(format!("] and [ jump between all events{without}.")),
        Some(name) => Some(format!("] and [ jump between events of {name}{without}.")),
    }
}

#[cfg(test)]
mod tests {
    use fairground::units::ShownResource;

    use super::*;
    use crate::chart::backend::{Size, text_width};
    use crate::chart::selection::selected_queue;
    use crate::engine::protocol::EventWord;
    use crate::fixtures::{departments, departments_run};
    use crate::state::layout::options::Kinds;
    use crate::views::timeline::draw::timeline_before;
    use crate::views::timeline::view::{Axis, events_table, lane, table, timeline};

    fn queue(name: &str) -> Option<Selection> {
        Some(Selection::Queue(name.into()))
    }

    fn view(run: &Run, selection: Option<&Selection>, look: &EventLaneOptions) -> TimelineView {
        let mut view = timeline(run, &departments(), selected_queue(&departments(), selection), ShownResource::GPU);
        add_overlays(&mut view, run, &departments(), look);
        view
    }

    #[test]
    fn the_selected_queue_is_held_against_its_fair_share() {
        let run = departments_run();
        let look = EventLaneOptions { followed: queue("research"), ..EventLaneOptions::default() };
        let research = view(&run, queue("research").as_ref(), &look);
        let share = research.share.as_ref().expect("it has one");
        assert_eq!((research.bands[0].name.as_str(), share.owed[0], share.borrowed[0]), ("research", 10.0, 0.0));
        assert!(research.summary.ends_with("research was up to 10 GPUs below its share."), "{}", research.summary);
        // A queue without further requests is owed nothing.
        let sandbox = view(&run, queue("sandbox").as_ref(), &EventLaneOptions::default());
        let share = sandbox.share.as_ref().expect("it has one");
        assert_eq!((share.borrowed[0], share.borrowed[12], share.owed[6]), (2.0, 0.0, 0.0));
        assert!(sandbox.summary.ends_with("sandbox borrowed up to 2 GPUs."), "{}", sandbox.summary);
        let head = &table(&sandbox).head;
        assert_eq!(head[4..7], ["fair share of sandbox, GPUs", "owed, GPUs", "borrowed, GPUs"]);
        assert_eq!(table(&sandbox).rows[0][4..7], ["4", "0", "2"]);
        assert_eq!(view(&run, None, &EventLaneOptions::default()).share, None);
    }

    #[test]
    fn a_single_root_stands_for_the_whole_and_its_children_for_themselves() {
        let (mut run, mut frame) = (departments_run(), departments());
        let root = frame.queues.len() as u32;
        frame.queues.push(crate::engine::protocol::QueueRow { name: "all".into(), ..Default::default() });
        frame.queues.iter_mut().take(root as usize).for_each(|row| row.parent = row.parent.or(Some(root)));
        run.complete = true;
        let of = |name: &str| {
            let mut view = timeline(&run, &frame, selected_queue(&frame, queue(name).as_ref()), ShownResource::GPU);
            add_overlays(&mut view, &run, &frame, &EventLaneOptions::default());
            (view.top, view.share.is_some())
        };
        assert_eq!(of("research"), (Some("research".into()), true));
        assert_eq!(of("all"), (None, false));
    }

    #[test]
    fn the_second_row_has_what_is_heeded() {
        let run = departments_run();
        let axis = Axis { width: 1200.0, first: 0, last: 20 };
        let heeds = |followed: Option<Selection>| {
            let view = view(&run, None, &EventLaneOptions { followed, ..EventLaneOptions::default() });
            let says: Vec<String> = lane(&view, axis, true).into_iter().map(|mark| mark.says).collect();
            (view.followed.clone(), says, lane(&view, axis, false).len())
        };
        let (name, says, all) = heeds(queue("product"));
        assert_eq!((name.as_deref(), all), (Some("product"), 9));
        assert_eq!(says, ["Cycle 8: r3 started"]);
        let (name, says, _) = heeds(Some(Selection::Job("v4".into())));
        assert_eq!(name.as_deref(), Some("v4"));
        assert_eq!(says, ["Cycle 4: v4 submitted", "Cycle 5: v4 started", "Cycle 12: v4 reclaimed"]);
        assert_eq!(heeds(None).0, None);
        // A mark has the index of its event: v4 is evicted before resources are claimed, and after two others in cycle
        // 5.
        let marks = lane(&view(&run, None, &EventLaneOptions::default()), axis, false);
        let of = |cycle: u32| marks.iter().find(|mark| mark.cycle == cycle).and_then(|mark| mark.index);
        assert_eq!((of(5), of(12)), (Some(1), Some(0)));
    }

    #[test]
    fn a_range_says_what_was_held_and_what_happened() {
        let run = departments_run();
        let look = EventLaneOptions { range: Some((4, 5)), ..EventLaneOptions::default() };
        let says = view(&run, queue("sandbox").as_ref(), &look).range.expect("it is marked").says;
        assert_eq!(
            says,
            "Cycles 4 to 5, 0:48 to 1:00: on average 31.5 of 32 GPUs allocated; sandbox held 5; was owed 0 and \
             borrowed 1; 1 reclaimed, 1 started, 1 submitted."
        );
        // Only followed events, and none beyond the end.
        let look = EventLaneOptions { range: Some((6, 40)), followed: queue("product"), ..EventLaneOptions::default() };
        let says = view(&run, None, &look).range.expect("it is marked").says;
        assert!(says.ends_with("product: 1 started."), "{says}");
    }

    #[test]
    fn what_is_filtered_is_said() {
        let run = departments_run();
        let mut without = Kinds::default();
        let says = |look: EventLaneOptions| stops_at(&view(&run, None, &look), &look);
        assert_eq!(says(EventLaneOptions::default()), None);
        without.put(EventKind::Started, true);
        let look = EventLaneOptions { without, followed: queue("product"), range: None };
        assert_eq!(says(look).as_deref(), Some("] and [ jump between events of product, without started."));
    }

    #[test]
    fn early_events_are_counted_and_it_is_said() {
        let mut run = departments_run();
        run.events.retain(|event| event.0 > 5);
        run.earlier = vec![(0, EventWord::Submitted, 7_000), (3, EventWord::Reclaimed, 2)];
        let view = view(&run, None, &EventLaneOptions { followed: queue("sandbox"), ..EventLaneOptions::default() });
        let axis = Axis { width: 1200.0, first: 0, last: 20 };
        let marks = lane(&view, axis, false);
        assert_eq!((marks[0].n, marks[0].index, marks[0].says.as_str()), (7_000, None, "Cycle 0: 7000 submitted"));
        assert!(lane(&view, axis, true).iter().all(|mark| mark.cycle > 5));
        let said = "Before cycle 6, only totals are shown; the row of sandbox begins there.";
        assert!(view.summary.contains(said), "{}", view.summary);
        assert!(view.summary.contains("4 evictions"), "{}", view.summary);
        assert_eq!(events_table(&view).rows[0], ["submitted", "7000 together", "", "0", "0:00"]);
    }

    #[test]
    fn the_cursor_crosses_no_label_of_an_area() {
        let view = view(&departments_run(), queue("research").as_ref(), &EventLaneOptions::default());
        let size = Size { width: 800.0, height: 172.0 };
        let axis = Axis::of(&view, size.width);
        let x_of = |svg: &str, label: &str| -> Option<f64> {
            let before = svg.split_once(&format!(">{label}</text>"))?.0;
            let x = before.rsplit_once("<text x=\"")?.1.split_once('"')?.0;
            Some(x.parse::<f64>().ok()? / 10.0)
        };
        let usual = x_of(&timeline_before(&view, size, None), "owed").expect("it is labelled");
        let half = text_width("owed", 12.0) / 2.0;
        let is_crossed = |x: f64, cursor: u32| (x - axis.x(cursor)).abs() < half;
        assert!((0..=view.end).any(|cursor| is_crossed(usual, cursor)), "{usual}");
        for cursor in 0..=view.end {
            let x = x_of(&timeline_before(&view, size, Some(cursor)), "owed").expect("it is labelled");
            assert!(!is_crossed(x, cursor), "{x} in cycle {cursor}");
        }
    }
}
