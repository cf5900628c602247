//! Charts compare the current run with the baseline of the last edit.

use fairground::units::{Resource, ShownResource as Shown};
use std::sync::Arc;

use expect_test::expect;
use fairground::id::QueueId;
use fairground::moment::{EventWord, Names};
use fairground::scenario::Path;
use fairground::words::{Selection, Terms};
use fairground_web::chart::alternative::{Alternative, as_edited, says};
use fairground_web::chart::backend::Size;
use fairground_web::chart::marks::Mark;
use fairground_web::chart::selection::selected_queue;
use fairground_web::engine::protocol::{Frame, JobRow, Point, QueueRow, Run};
use fairground_web::engine::report::{GanttBy, Report};
use fairground_web::engine::serve::Server;
use fairground_web::library;
use fairground_web::state::branches::{Baseline, alternative};
use fairground_web::state::command::Command;
use fairground_web::state::document::{Opened, Origin};
use fairground_web::state::effect::Effect;
use fairground_web::state::layout::options::{EventLaneOptions, GanttMove, NowView};
use fairground_web::state::model::Model;
use fairground_web::state::update::{begin, update};
use fairground_web::views::cluster::alternative::lay_alternative;
use fairground_web::views::timeline::overlays::add_overlays;
use fairground_web::views::{cluster, division, fairness, gantt, shares, timeline, tree, trends};

/// The model with an engine.
struct Page {
    model: Model,
    server: Server,
    announced: usize,
}

impl Page {
    fn open() -> Page {
        let model = Model::new(Opened::new(library::start(), Origin::Start));
        let mut page = Page { model, server: Server::default(), announced: 0 };
        let effects = begin(&mut page.model);
        page.carry_out(effects);
        page
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            self.announced += usize::from(effect == Effect::AnnounceEdit);
            let Effect::Send(request) = effect else { continue };
            let mut replies = self.server.handle(request);
            while self.server.is_busy() {
                replies.extend(self.server.work());
            }
            for reply in replies {
                let effects = update(&mut self.model, Command::Replied(Box::new(reply)));
                self.carry_out(effects);
            }
        }
    }

    fn does(&mut self, command: Command) {
        self.model.clock_ms += 1_000;
        let effects = update(&mut self.model, command);
        self.carry_out(effects);
    }

    fn sets(&mut self, queue: &str, field: &str, value: &str) {
        let at = Path::default().field("queues").named(queue);
        let at = if field == "name" { at.field(field) } else { at.field("gpu").field(field) };
        self.does(Command::Set { at, value: value.into() });
    }

    fn shares(&self) -> shares::view::SharesView {
        let frame = self.model.moment.frame.as_deref().expect("a moment");
        let (alternative, changed) = (alternative::moment(&self.model), alternative::changed(&self.model));
        let alternative = alternative.as_deref().map(|frame| Alternative { frame, changed: changed.as_deref() });
        let mut view = shares::view::shares(frame, alternative, None, Shown::GPU, &[]);
        if let Some(alternative) = alternative {
            shares::view::say_since(&mut view, frame, alternative);
        }
        view
    }

    fn timeline(&self, selection: Option<&Selection>, resource: Shown) -> timeline::view::TimelineView {
        let (run, frame) = self.model.moment.run.as_deref().zip(self.model.moment.frame.as_deref()).expect("a run");
        let mut view = timeline::view::timeline(run, frame, selected_queue(frame, selection), resource);
        add_overlays(
            &mut view,
            run,
            frame,
            &EventLaneOptions { followed: selection.cloned(), ..EventLaneOptions::default() },
        );
        let (other, frame) = alternative::run(&self.model).zip(alternative::moment(&self.model)).expect("a baseline");
        let changed = alternative::changed(&self.model);
        let alternative = Alternative { frame: &frame, changed: changed.as_deref() };
        timeline::view::lay_behind(&mut view, run, (&other, alternative));
        view
    }

    /// The current frame, the alternative, and what was changed.
    fn moments(&self) -> (Arc<Frame>, Arc<Frame>, Option<String>) {
        let (now, other) = self.model.moment.frame.clone().zip(alternative::moment(&self.model)).expect("two moments");
        (now, other, alternative::changed(&self.model))
    }

    /// The reports on the run and on the alternative.
    fn reports(&self) -> (Arc<Report>, Arc<Report>) {
        self.model.moment.report.clone().zip(alternative::report(&self.model)).expect("two reports")
    }

    fn gantt(&self) -> gantt::view::GanttView {
        let ((now, other, changed), (report, was)) = (self.moments(), self.reports());
        let (Report::Gantt(report_now), Report::Gantt(was)) = (&*report, &*was) else { panic!("{report:?}") };
        let mut view = gantt::view::gantt(report_now, self.model.moment.run.as_ref().expect("a run"), &now, None);
        gantt::view::lay_behind(
            &mut view,
            report_now,
            &now,
            (was, Alternative { frame: &other, changed: changed.as_deref() }),
        );
        view
    }

    fn drags(&mut self, queue: &str, field: &str, value: &str) {
        let at = Path::default().field("queues").named(queue).field("gpu").field(field);
        self.does(Command::Preview { at, value: value.into() });
    }

    fn says(&self) -> String {
        let (run, frame) = self.model.moment.run.as_deref().zip(self.model.moment.frame.as_deref()).expect("a run");
        let before = self.model.branches.told_edit.as_ref().or(self.model.branches.baseline.as_ref());
        says(before.expect("a baseline"), frame, run, Resource::GPU)
    }
}

#[test]
fn after_an_edit_charts_say_how_it_was() {
    let mut page = Page::open();
    page.does(Command::GoTo(3));
    assert!(page.model.branches.baseline.is_none());
    page.sets("team-a", "quota", "3");
    expect!["Quota of team-a 2 → 3: 1 fewer evicted, b2 never starts; team-a uses 3 GPUs (2 before); team-b uses 1 GPU (2 before)."]
        .assert_eq(&page.says());
    assert_eq!(page.announced, 1);
    let view = page.shares();
    expect!["4 of 4 GPUs allocated; team-b is 1 GPU below its fair share. Since quota of team-a 2 → 3: team-a uses 3 GPUs (2 before), its fair share is 3 (2 before); team-b uses 1 GPU (2 before)."]
        .assert_eq(&view.summary);
    expect!["team-a: allocated 3 GPUs, quota 3 GPUs, fair share 3 GPUs, saturation ratio 1.00, limit unlimited, requested 3 GPUs, before 2, fair share 2"]
        .assert_eq(&view.rows[1].sentence());
    expect![[r#"
        queue	allocated, GPUs	claimed, GPUs	shutting down, GPUs	quota, GPUs	fair share, GPUs	limit, GPUs	requested, GPUs	non-preemptible, GPUs	saturation ratio	allocated (before), GPUs	fair share (before), GPUs
        cluster	4	0	0	–	–	–	5	0	–	4	–
        team-a	3	0	0	3	3	unlimited	3	0	1.00	2	2
        team-b	1	0	0	2	2	unlimited	2	0	0.50	2	2
    "#]]
    .assert_eq(&shares::view::table(&view).tsv());
    assert!(view.marks.contains(&Mark::Before) && !view.marks.contains(&Mark::Preview));
    // The next step drops the baseline.
    page.does(Command::Back);
    assert!(page.model.branches.baseline.is_none());
    assert!(page.shares().rows.iter().all(|row| row.alternative.is_none()));
}

#[test]
fn the_earlier_run_lies_behind_the_timeline() {
    let mut page = Page::open();
    page.does(Command::GoTo(6));
    page.does(Command::GoTo(3));
    page.sets("team-a", "quota", "3");
    let team = Selection::Queue("team-a".into());
    let view = page.timeline(Some(&team), Shown::GPU);
    assert_eq!(view.alternatives.len(), 1);
    assert_eq!((view.last, view.alternatives[0].last), (2, 3), "what was computed before goes on");
    assert_eq!(view.alternatives[0].at(0), Some(3.0));
    assert_eq!(view.alternatives[0].at(3), Some(2.0));
    assert_eq!(view.alternatives[0].at(4), None);
    let svg = fairground_web::views::timeline::draw::timeline(&view, Size { width: 600.0, height: 168.0 });
    assert!(svg.contains(r#"stroke="var(--ink-2)" stroke-dasharray="50 40""#), "{svg}");
    expect!["2 cycles, 0:02: 4 of 4 GPUs allocated at the end. Since quota of team-a 2 → 3: there is no eviction (1 before)."]
        .assert_eq(&view.summary);
    expect![[r#"
        cycle	time	capacity, GPUs	waiting, GPUs	fair share of team-a, GPUs	owed, GPUs	borrowed, GPUs	team-a, GPUs	team-b, GPUs	team-a (before), GPUs
        0	0:00	4	0	3	0	0	3	1	3
        1	0:01	4	1	3	0	0	3	1	2
        2	0:02	4	1	3	0	0	3	1	2
    "#]]
    .assert_eq(&timeline::view::table(&view).tsv());
    let lines = page.timeline(None, Shown::GPU).alternatives;
    let lines: Vec<String> = lines.into_iter().map(|alternative| alternative.name).collect();
    assert_eq!(lines, ["team-a", "team-b"], "without a selection every border between areas");
}

#[test]
fn dominant_shares_are_lines_that_do_not_add_up() {
    let mut page = Page::open();
    page.does(Command::GoTo(3));
    page.sets("team-a", "quota", "3");
    let view = page.timeline(None, Shown::Dominant);
    assert!(view.apart);
    assert_eq!(view.max, 120.0, "the scale ends above all there is, not above a sum");
    assert_eq!(view.alternatives.len(), 2);
    assert_eq!(view.alternatives[1].at(3), Some(50.0), "not on top of the other");
    let svg = fairground_web::views::timeline::draw::timeline(&view, Size { width: 600.0, height: 168.0 });
    assert!(!svg.contains(r#"<polygon fill="var(--q"#), "{svg}");
    assert!(view.summary.contains("75 of 100 % the largest share at the end"), "{}", view.summary);
}

#[test]
fn one_gesture_has_one_before() {
    let mut page = Page::open();
    page.does(Command::GoTo(3));
    let was = page.model.moment.frame.clone();
    page.sets("team-a", "quota", "3");
    page.model.clock_ms -= 900;
    page.sets("team-a", "quota", "4");
    let before = page.model.branches.baseline.clone().expect("a baseline");
    assert_eq!(before.changed, "quota of team-a 2 → 4");
    assert_eq!(Some(before.frame.clone()), was);
    // The next edit has its own baseline, and so does undo.
    page.sets("team-b", "quota", "0");
    let changed = |page: &Page| page.model.branches.baseline.as_ref().map(|before| before.changed.clone());
    page.does(Command::Undo);
    page.does(Command::Undo);
    assert_eq!(changed(&page).as_deref(), Some("undo of quota of team-a 2 → 4"));
    assert_eq!(
        page.says(),
        "Undid quota of team-a 2 → 4: 1 more evicted, b2 also starts; team-a uses 2 GPUs (3 before); team-b uses 2 GPUs (1 before)."
    );
    page.does(Command::ForgetBaseline);
    assert_eq!(changed(&page), None);
}

#[test]
fn what_changes_nothing_has_no_before() {
    let mut page = Page::open();
    page.does(Command::GoTo(3));
    page.sets("team-a", "name", "blue");
    assert!(page.model.branches.baseline.is_none(), "a name");
    page.sets("blue", "weight", "3");
    assert!(page.model.branches.baseline.is_none(), "a weight, where everything is quota");
    assert_eq!(page.says(), "Weight of blue 1 → 3: nothing changes up to cycle 3.");
}

#[test]
fn while_an_edit_is_being_made_its_own_alternative_goes_first() {
    let mut page = Page::open();
    page.does(Command::GoTo(3));
    page.sets("team-a", "quota", "3");
    let at = Path::default().field("queues").named("team-a").field("gpu").field("quota");
    page.does(Command::Preview { at, value: "0".into() });
    assert_eq!(alternative::changed(&page.model), None);
    assert!(page.shares().marks.contains(&Mark::Preview));
    page.does(Command::PreviewEnd);
    assert!(page.shares().marks.contains(&Mark::Before));
}

#[test]
fn what_cannot_run_leaves_the_last_alternative_that_could() {
    use fairground_web::engine::protocol::{Message, Response};
    let mut page = Page::open();
    page.does(Command::GoTo(3));
    page.drags("team-a", "quota", "3");
    let shown = alternative::moment(&page.model).expect("a preview");
    let refused = Response::Refused { findings: Vec::new() };
    let generation = page.model.next_id;
    page.does(Command::Replied(Box::new(Message { generation, body: refused })));
    assert!(alternative::moment(&page.model).is_some_and(|alternative| Arc::ptr_eq(&alternative, &shown)));
    assert!(!alternative::is_awaited(&page.model));
    page.does(Command::PreviewEnd);
    assert!(alternative::moment(&page.model).is_none());
}

#[test]
fn division_and_cluster_say_how_it_was() {
    let mut page = Page::open();
    page.does(Command::GoTo(3));
    page.does(Command::Select(Some(Selection::Queue("team-a".into()))));
    page.does(Command::ShowView(NowView::Division));
    page.sets("team-a", "quota", "3");
    let frame = page.model.moment.frame.as_deref().expect("a moment");
    let was = alternative::ladder(&page.model).expect("it was explained before");
    let now = page.model.moment.ladder.as_deref().expect("it is explained");
    let old = alternative::moment(&page.model).expect("a baseline");
    let [now, was] = [(frame, now), (&old, &was)]
        .map(|(frame, ladder)| division::view::division(frame, &ladder.levels[0], Resource::GPU, usize::MAX));
    let view = division::view::with_alternative(now, &was, true);
    let terms = Terms::of("kai");
    assert_eq!(
        division::view::says(&view.tanks[0], view.was, terms),
        "team-a: gets 3, 3 of it quota, requests 3, weight 1; got 2"
    );
    let changed = alternative::changed(&page.model);
    let alternative = Alternative { frame: &old, changed: changed.as_deref() };
    let mut view = cluster::view::cluster(frame, 600.0, Shown::GPU);
    lay_alternative(&mut view, frame, alternative, Shown::GPU);
    let mut cells = view.cards.iter().flat_map(|card| &card.cells);
    assert!(cells.any(|cell| cell.state(terms).ends_with("; before: b2")));
    assert!(view.marks.contains(&cluster::cards::CellMark::Before));
}

fn lines(view: &gantt::view::GanttView) -> String {
    let line = |line: &gantt::view::Line| match line {
        gantt::view::Line::Queue(name, _) => format!("[{name}]\n"),
        gantt::view::Line::Row(row) => format!("{}\n", row.says),
    };
    view.lines.iter().map(line).collect::<String>() + &view.summary
}

#[test]
fn gantt_has_a_second_bar_where_a_job_ran_at_another_time() {
    let mut page = Page::open();
    page.does(Command::GoTo(6));
    page.does(Command::ShowView(NowView::Gantt));
    page.sets("team-a", "quota", "3");
    let view = page.gantt();
    expect![[r#"
        [team-a]
        a1 (team-a): submitted in cycle 0; runs since cycle 0
        a2 (team-a): submitted in cycle 0; runs since cycle 0; before: submitted in cycle 0; runs cycles 0 to 1, its work lost; reclaimed in cycle 1; waits in cycle 2
        [team-b]
        b1 (team-b): submitted in cycle 0; runs since cycle 0
        b2 (team-b): submitted in cycle 1; waits in cycle 2; before: submitted in cycle 1; runs since cycle 2
        4 jobs; in cycle 2: 3 running, 1 waiting, 0 finished. Since quota of team-a 2 → 3: a2 runs at other times; b2 first started in cycle 2, now never."#]].assert_eq(&lines(&view));
    expect![[r#"
        job	queue	pods	submitted	first start	ended	cycles run	lost cycles	evictions	first start (before)	ended (before)	cycles run (before)	lost cycles (before)	evictions (before)
        a1	team-a	1	0	0	–	3	0	0	0	–	3	0	0
        a2	team-a	1	0	0	–	3	0	0	0	–	2	2	1
        b1	team-b	1	0	0	–	3	0	0	0	–	3	0	0
        b2	team-b	1	1	–	–	0	0	0	2	–	1	0	0
    "#]].assert_eq(&view.table.tsv());
    let svg = fairground_web::views::gantt::draw::gantt(&view, 600.0);
    assert_eq!(svg.matches(r#"stroke-dasharray="45 30""#).count(), 2, "of a2 and b2: {svg}");
    // Rows of another kind, chosen while a baseline is shown, are compared too.
    page.does(Command::Gantt(GanttMove::By(GanttBy::Gpu)));
    expect![[r#"
        GPU	job	queue	work lost	run	from cycle	gone in cycle
        node-1 · 0	a1	team-a	no	now	0	–
        node-1 · 1	a1	team-a	no	now	0	–
        node-2 · 0	a2	team-a	no	now	0	–
        node-2 · 1	b1	team-b	no	now	0	–
        node-2 · 0	a2	team-a	yes	before	0	2
        node-2 · 0	b2	team-b	no	before	2	–
    "#]]
    .assert_eq(&page.gantt().table.tsv());
    page.does(Command::ForgetBaseline);
    assert!(alternative::report(&page.model).is_none());
}

#[test]
fn every_chart_follows_a_dragged_value() {
    let mut page = Page::open();
    page.does(Command::GoTo(6));
    page.does(Command::GoTo(1));
    page.does(Command::ShowView(NowView::Gantt));
    page.drags("team-a", "quota", "3");
    let view = page.gantt();
    expect!["4 jobs; in cycle 3: 3 running, 1 waiting, 0 finished; 1 eviction; 2 cycles of work lost (per pod). As edited: a2 runs at other times; b2 would first start never, now in cycle 2."].assert_eq(&view.summary);
    assert!(!view.was && view.marks.alternative);
    let (run, edited) = (page.model.moment.run.as_deref(), alternative::run(&page.model));
    let said = run.zip(edited.as_deref()).and_then(|(run, edited)| as_edited(run, edited, &Terms::PLAIN));
    assert_eq!(said.as_deref(), Some("1 fewer evicted, b2 never starts by cycle 3"));
    let (report_now, other) = page.reports();
    let (Report::Gantt(report_now), Report::Gantt(other)) = (&*report_now, &*other) else { panic!("{report_now:?}") };
    assert_eq!((report_now.last, report_now.rows.len()), (3, 4), "as far as the run came, not only to the cursor");
    assert_eq!((other.last, other.rows.len()), (2, 4), "nothing further happens");
    // Timeline shows the preview as well, with another label than for a baseline.
    let view = page.timeline(Some(&Selection::Queue("team-a".into())), Shown::GPU);
    assert_eq!((view.was, view.alternatives.len(), view.alternatives[0].at(2)), (false, 1, Some(3.0)), "{view:?}");
    assert!(!view.summary.contains("Since"), "{}", view.summary);
    assert!(timeline::view::table(&view).tsv().contains("team-a (ghost), GPUs"));
    // Ending the preview without a change drops it.
    page.does(Command::PreviewEnd);
    assert!(alternative::moment(&page.model).is_none() && alternative::run(&page.model).is_none());
    assert!(alternative::report(&page.model).is_none());
}

#[test]
fn a_drag_without_a_change_keeps_the_baseline() {
    let mut page = Page::open();
    page.does(Command::GoTo(3));
    page.sets("team-a", "quota", "3");
    // The baseline had no report yet, and the engine computes one alternative at a time.
    page.drags("team-b", "quota", "1");
    page.does(Command::ShowView(NowView::Fairness));
    page.does(Command::PreviewEnd);
    let (_, was) = page.reports();
    assert!(matches!(&*was, Report::Fairness(_)), "{was:?}");
    assert!(alternative::changed(&page.model).is_some());
}

#[test]
fn tree_outlines_the_earlier_width() {
    let mut page = Page::open();
    page.does(Command::GoTo(3));
    page.sets("team-a", "quota", "3");
    let (now, other, changed) = page.moments();
    let [view, was] = [&now, &other].map(|frame| tree::view::tree(frame, None, Shown::GPU, tree::view::Measure::Share));
    let same = tree::view::with_alternative(view.clone(), &view, Alternative { frame: &now, changed: Some("an edit") });
    assert!(same.alternative.is_none() && same.blocks.iter().all(|block| block.alternative.is_none()));
    assert!(same.summary.ends_with(". Since an edit: the same here."), "{}", same.summary);
    let view = tree::view::with_alternative(view, &was, Alternative { frame: &other, changed: changed.as_deref() });
    let alternatives: Vec<_> =
        view.blocks.iter().filter_map(|block| Some((block.name.as_str(), block.w, block.alternative?.1))).collect();
    expect![[r#"
        [("team-a", 0.6, 0.5)]
        Fair share of the top-level queues: 5 of 4 GPUs; 2 queues on 1 level. Since quota of team-a 2 → 3: team-a 3, was 2.
        queue	inside	fair share, GPUs	fair share, GPUs (before)
        team-a	cluster	3	2
        team-b	cluster	2	2
    "#]].assert_eq(&format!("{alternatives:?}\n{}\n{}", view.summary, view.table.tsv()));
    let svg = fairground_web::views::tree::draw::tree(&view, 600.0);
    assert_eq!(svg.matches("stroke-dasharray").count(), alternatives.len(), "{svg}");
    assert_eq!(view.alternative, Some(true));
}

#[test]
fn trends_and_fairness_say_how_it_was() {
    let mut page = Page::open();
    page.does(Command::GoTo(6));
    page.does(Command::ShowView(NowView::Trends));
    page.sets("team-a", "quota", "3");
    let ((now, other, changed), (report, was)) = (page.moments(), page.reports());
    let (Report::Trends(series), Report::Trends(before)) = (&*report, &*was) else { panic!("{report:?}") };
    let alternative = Alternative { frame: &other, changed: changed.as_deref() };
    let run = page.model.moment.run.clone().expect("a run");
    for resource in [Shown::GPU, Shown::Dominant] {
        let mut view = trends::view::trends(series, &run, &now, None, (resource, Default::default()));
        let plain = fairground_web::views::trends::draw::trends(&view, 600.0).matches("stroke-dasharray").count();
        trends::view::lay_behind(&mut view, (before, alternative));
        let says: Vec<&str> = view.tiles.iter().map(|tile| tile.says.as_str()).collect();
        if resource == Shown::GPU {
            expect![[r#"
                2 queues, all on one scale: 0 to 3 GPUs, cycles 0 to 2. Since quota of team-a 2 → 3: team-a 3, was 2; team-b 1, was 2.
                team-a: 3 GPUs allocated now, fair share 3, 3 requested; between 3 and 3 in the run; before: 2 allocated now, another amount from cycle 1 on
                team-b: 1 GPU allocated now, fair share 2, 2 requested; between 1 and 1 in the run; before: 2 allocated now, another amount from cycle 2 on
                queue	from cycle	allocated, GPUs	fair share, GPUs	requested, GPUs	allocated (before), GPUs
                team-a	0	3	3	3	3
                team-a	1	3	3	3	2
                team-a	2	3	3	3	2
                team-b	0	1	1	1	1
                team-b	1	1	2	2	1
                team-b	2	1	2	2	2
            "#]].assert_eq(&format!("{}\n{}\n{}", view.summary, says.join("\n"), view.table.tsv()));
        }
        let svg = fairground_web::views::trends::draw::trends(&view, 600.0);
        assert_eq!(svg.matches("stroke-dasharray").count(), plain + 2, "both queues held another amount");
    }
    page.does(Command::ShowView(NowView::Fairness));
    let (report, was) = page.reports();
    let (Report::Fairness(tally), Report::Fairness(before)) = (&*report, &*was) else { panic!("{report:?}") };
    let mut view = fairness::view::fairness(tally, &now, None);
    fairness::view::put_differences(&mut view, (tally, &now), (before, alternative));
    let facts: Vec<String> =
        view.facts.iter().map(|fact| format!("{}: {} {}", fact.name, fact.value, fact.since)).collect();
    expect![[r#"
        From 0:00 to 0:02, cycle 2: team-b was owed most and was below its share for 0:01. Since quota of team-a 2 → 3: in brackets what is more or less than before.
        Used: 100 % +12.5 %
        Idle while work waited: 0 % −12.5 %
        Free but too scattered: 0 GPUs 
        Restarts: 0 
        Work lost: 0 GPU-seconds −1
        Evenness (Jain index): 0.96 
        queue	below share	owed, GPU-seconds	borrowed, GPU-seconds	used, GPU-seconds	median wait	P90 wait	longest wait now	evictions	lost, GPU-seconds
        team-a	0:00	0	0 (−1)	6 (+1)	–	–	–	0 (−1)	0 (−1)
        team-b	0:01	1	0	2	–	–	0:01	0	0
        all	–	1	0 (−1)	8 (+1)	–	–	0:01	0 (−1)	0 (−1)
    "#]].assert_eq(&format!("{}\n{}\n{}", view.summary, facts.join("\n"), view.table.tsv()));
}

/// A run with cycles at these times and with these events.
fn run_at(times: &[i64], events: &[(u32, EventWord, &str)]) -> Run {
    let point = |(at, time): (usize, &i64)| Point { cycle: at as u32, time_ms: *time, ..Point::default() };
    let jobs = ["a", "b"].map(|name| (name.into(), QueueId(0)));
    let names = Names { jobs: jobs.into(), ..Names::default() };
    let event = |(cycle, word, job): &(u32, EventWord, &str)| (*cycle, *word, names.find(job));
    Run {
        last_cycle: times.len() as u32 - 1,
        last_time_ms: times[times.len() - 1],
        points: times.iter().enumerate().map(point).collect(),
        events: events.iter().map(event).collect(),
        names: Arc::new(names.clone()),
        ..Run::default()
    }
}

#[test]
fn runs_are_compared_at_moments_not_at_numbers_of_cycles() {
    let events = [(1, EventWord::Started, "a"), (2, EventWord::Started, "b")];
    let was = run_at(&[0, 1000, 5000], &events);
    let said =
        |times: &[i64], events: &[(u32, EventWord, &str)]| as_edited(&was, &run_at(times, events), &Terms::PLAIN);
    assert_eq!(said(&[0, 1000, 5000], &events).as_deref(), Some("nothing changes up to cycle 2"));
    // The same cycle is earlier.
    assert_eq!(said(&[0, 1000, 2000, 5000], &events).as_deref(), Some("b starts 0:03 earlier by 0:05"));
    let cycles_between = [(1, EventWord::Started, "a"), (3, EventWord::Started, "b")];
    let said_of = said(&[0, 1000, 2000, 5000], &cycles_between);
    assert_eq!(said_of.as_deref(), Some("nothing changes up to 0:05"));
}

#[test]
fn another_time_of_a_restart_is_no_equal_run() {
    let of = |again| {
        let (started, evicted) = (EventWord::Started, EventWord::Reclaimed);
        [(0, started, "a"), (1, evicted, "a"), (again, started, "a")]
    };
    let [was, is] = [2, 3].map(|again| run_at(&[0, 1000, 2000, 3000], &of(again)));
    let said = as_edited(&was, &is, &Terms::PLAIN);
    assert_eq!(said.as_deref(), Some("evictions and restarts at other times by cycle 3"));
}

#[test]
fn allocations_are_unchanged_only_where_nothing_differs() {
    let row = |name: &str, running| JobRow { name: name.into(), running, ..JobRow::default() };
    let frame = |cpu: f64, jobs: [u32; 2], time_ms| Frame {
        cycle: 3,
        time_ms,
        queues: vec![QueueRow { name: "q".into(), allocated: [cpu, 0.0, 2.0].into(), ..QueueRow::default() }],
        jobs: vec![row("a", jobs[0]), row("b", jobs[1])],
        ..Frame::default()
    };
    let run = Arc::new(run_at(&[0, 1000], &[]));
    let before = Baseline {
        changed: "x".into(),
        frame: Arc::new(frame(1000.0, [1, 0], 3000)),
        at: 3,
        run: run.clone(),
        ladder: None,
        scenario: None,
    };
    let said = |frame: Frame| says(&before, &frame, &run, Resource::GPU);
    assert_eq!(said(frame(1000.0, [1, 0], 3000)), "X: nothing changes up to cycle 1.");
    assert_eq!(said(frame(2000.0, [1, 0], 3000)), "X: q uses 2 cores (1 before).");
    assert_eq!(
        said(frame(1000.0, [0, 1], 3000)),
        "X: a has 0 pods running (1 before); b has 1 pod running (0 before)."
    );
    assert_eq!(said(frame(1000.0, [1, 0], 2000)), "X: cycle 3 is at 0:02, was at 0:03.");
}

#[test]
fn a_kept_run_stays_beside_the_present_one_until_it_is_hidden() {
    let mut page = Page::open();
    page.does(Command::Step);
    page.does(Command::KeepRun);
    assert!(page.model.branches.baseline.is_none(), "it is the same run");
    page.sets("team-a", "quota", "3");
    page.sets("team-a", "weight", "2");
    let was = |page: &Page| page.model.branches.baseline.as_ref().map(|was| (was.changed.clone(), was.frame.cycle));
    assert_eq!(was(&page), Some(("run A".into(), 1)));
    page.does(Command::Step);
    assert_eq!(was(&page), Some(("run A".into(), 2)), "at every moment");
    expect!["Compared with run A: 1 fewer evicted, b2 never starts; team-a uses 3 GPUs (2 before); team-b uses 1 GPU (2 before)."]
        .assert_eq(&page.says());
    page.does(Command::ShowView(NowView::Gantt));
    page.reports();

    page.does(Command::KeepRun);
    page.does(Command::Undo);
    assert_eq!(was(&page), None, "the weight makes no difference to run B");
    page.does(Command::CompareWith(Some('A')));
    assert_eq!(was(&page), Some(("run A".into(), 2)));
    page.does(Command::ForgetBaseline);
    assert_eq!((was(&page), page.model.branches.kept.runs.len()), (None, 2));
    page.does(Command::RemoveRun('A'));
    page.does(Command::Undo);
    page.does(Command::KeepRun);
    let letters: String = page.model.branches.kept.runs.iter().map(|run| run.letter).collect();
    assert_eq!(letters, "AB", "a letter is used again");
    page.does(Command::Open(Box::new(Opened::new(library::start(), Origin::Start))));
    assert!(page.model.branches.kept.runs.is_empty(), "they belong to the scenario");
}
