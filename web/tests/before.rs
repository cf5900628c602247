//! After an edit, charts hold the present against how it was before.

use expect_test::expect;
use fairground::scenario::Path;
use fairground_web::charts;
use fairground_web::charts::backend::Size;
use fairground_web::engine::serve::Server;
use fairground_web::library;
use fairground_web::model::{
    Command, Effect, Model, NowView, Opened, Origin, Selection, before, begin, update,
};
use fairground_web::view_model::before::{Ghost, says};
use fairground_web::view_model::{cluster, division, shares, timeline};

/// The model with a real engine behind it.
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
            let mut replies = self.server.ask(request);
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

    fn shares(&self) -> shares::SharesView {
        let frame = self.model.frame.as_deref().expect("a moment");
        let (ghost, changed) = (before::ghost(&self.model), before::changed(&self.model));
        let ghost = ghost.as_deref().map(|frame| Ghost { frame, changed: changed.as_deref() });
        let mut view = shares::shares(frame, ghost, None, 2, &[]);
        if let Some(ghost) = ghost {
            shares::say_since(&mut view, frame, ghost);
        }
        view
    }

    fn timeline(&self, selection: Option<&Selection>, resource: u8) -> timeline::TimelineView {
        let (run, frame) = self.model.run.as_deref().zip(self.model.frame.as_deref()).expect("a run");
        let mut view = timeline::timeline(run, frame, selection, resource);
        let before = self.model.before.as_deref().expect("it was kept");
        timeline::lay_behind(&mut view, run, before);
        view
    }

    fn says(&self) -> String {
        let (run, frame) = self.model.run.as_deref().zip(self.model.frame.as_deref()).expect("a run");
        says(self.model.before.as_deref().expect("it was kept"), frame, run, 2)
    }
}

#[test]
fn after_an_edit_charts_say_how_it_was() {
    let mut page = Page::open();
    page.does(Command::GoTo(3));
    assert!(page.model.before.is_none());
    page.sets("team-a", "quota", "3");
    expect!["quota of team-a 2 → 3: team-a had 2, now 3 with fair share 2, now 3; team-b had 2, now 1; no eviction, 1 before."]
        .assert_eq(&page.says());
    assert_eq!(page.announced, 1);
    let view = page.shares();
    expect!["4 of 4 GPUs allocated; team-b is 1 short of what it is due. Since quota of team-a 2 → 3: team-a had 2, now 3 with fair share 2, now 3; team-b had 2, now 1."]
        .assert_eq(&view.summary);
    expect!["team-a: has 3 GPUs, quota 3, fair share 3, limit unlimited, wants 3, before 2, fair share 2"]
        .assert_eq(&view.rows[1].sentence());
    expect![[r#"
        queue	has, GPUs	claimed, GPUs	leaving, GPUs	quota, GPUs	fair share, GPUs	limit, GPUs	wants, GPUs	cannot be taken, GPUs	has (before), GPUs	fair share (before), GPUs
        cluster	4	0	0	–	–	–	5	0	4	–
        team-a	3	0	0	3	3	unlimited	3	0	2	2
        team-b	1	0	0	2	2	unlimited	2	0	2	2
    "#]]
    .assert_eq(&shares::table(&view).tsv());
    assert!(view.marks.contains(&shares::Mark::Before) && !view.marks.contains(&shares::Mark::Ghost));
    // It is forgotten with the next step.
    page.does(Command::Back);
    assert!(page.model.before.is_none());
    assert!(page.shares().rows.iter().all(|row| row.ghost.is_none()));
}

#[test]
fn the_earlier_run_lies_behind_the_timeline() {
    let mut page = Page::open();
    page.does(Command::GoTo(6));
    page.does(Command::GoTo(3));
    page.sets("team-a", "quota", "3");
    let team = Selection::Queue("team-a".into());
    let view = page.timeline(Some(&team), 2);
    assert_eq!(view.ghosts.len(), 1);
    assert_eq!((view.last, view.ghosts[0].last), (2, 3), "what was computed before goes on");
    assert_eq!(view.ghosts[0].at(0), Some(3.0));
    assert_eq!(view.ghosts[0].at(3), Some(2.0));
    assert_eq!(view.ghosts[0].at(4), None);
    let svg = charts::timeline::timeline(&view, Size { width: 600.0, height: 168.0 });
    assert!(svg.contains(r#"stroke="var(--ink-2)" stroke-dasharray="50 40""#), "{svg}");
    expect!["2 cycles, 0:02: 4 of 4 GPUs allocated at the end. Since quota of team-a 2 → 3: no eviction, 1 before."]
        .assert_eq(&view.summary);
    expect![[r#"
        cycle	time	capacity, GPUs	team-a, GPUs	team-b, GPUs	team-a (before), GPUs
        0	0:00	4	3	1	3
        1	0:01	4	3	1	2
        2	0:02	4	3	1	2
    "#]]
    .assert_eq(&timeline::table(&view).tsv());
    let lines: Vec<String> = page.timeline(None, 2).ghosts.into_iter().map(|ghost| ghost.name).collect();
    assert_eq!(lines, ["team-a", "team-b"], "without a selection every border between areas");
}

#[test]
fn dominant_shares_are_lines_that_do_not_add_up() {
    let mut page = Page::open();
    page.does(Command::GoTo(3));
    page.sets("team-a", "quota", "3");
    let view = page.timeline(None, 3);
    assert!(view.apart);
    assert_eq!(view.max, 120.0, "the scale ends above all there is, not above a sum");
    assert_eq!(view.ghosts.len(), 2);
    assert_eq!(view.ghosts[1].at(3), Some(50.0), "not on top of the other");
    let svg = charts::timeline::timeline(&view, Size { width: 600.0, height: 168.0 });
    assert!(!svg.contains(r#"<polygon fill="var(--q"#), "{svg}");
    assert!(view.summary.contains("75 of 100 % the largest share at the end"), "{}", view.summary);
}

#[test]
fn one_gesture_has_one_before() {
    let mut page = Page::open();
    page.does(Command::GoTo(3));
    let was = page.model.frame.clone();
    page.sets("team-a", "quota", "3");
    page.model.clock_ms -= 900;
    page.sets("team-a", "quota", "4");
    let before = page.model.before.clone().expect("it was kept");
    assert_eq!(before.changed, "quota of team-a 2 → 4");
    assert_eq!(Some(before.frame.clone()), was);
    // The next edit has a before of its own, and undo too.
    page.sets("team-b", "quota", "0");
    let changed = |page: &Page| page.model.before.as_ref().map(|before| before.changed.clone());
    page.does(Command::Undo);
    page.does(Command::Undo);
    assert_eq!(changed(&page).as_deref(), Some("undo of quota of team-a 2 → 4"));
    assert_eq!(
        page.says(),
        "undo of quota of team-a 2 → 4: team-a had 3, now 2 with fair share 3, now 2; team-b had 1, now 2; 1 eviction, none before."
    );
    page.does(Command::ForgetBefore);
    assert_eq!(changed(&page), None);
}

#[test]
fn what_changes_nothing_has_no_before() {
    let mut page = Page::open();
    page.does(Command::GoTo(3));
    page.sets("team-a", "name", "blue");
    assert!(page.model.before.is_none(), "a name");
    page.sets("blue", "weight", "3");
    assert!(page.model.before.is_none(), "a weight, where everything is quota");
    assert_eq!(page.announced, 0);
}

#[test]
fn while_an_edit_is_being_made_its_own_ghost_goes_first() {
    let mut page = Page::open();
    page.does(Command::GoTo(3));
    page.sets("team-a", "quota", "3");
    let at = Path::default().field("queues").named("team-a").field("gpu").field("quota");
    page.does(Command::Preview { at, value: "0".into() });
    assert_eq!(before::changed(&page.model), None);
    assert!(page.shares().marks.contains(&shares::Mark::Ghost));
    page.does(Command::PreviewEnd);
    assert!(page.shares().marks.contains(&shares::Mark::Before));
}

#[test]
fn division_and_cluster_say_how_it_was() {
    let mut page = Page::open();
    page.does(Command::GoTo(3));
    page.does(Command::Select(Some(Selection::Queue("team-a".into()))));
    page.does(Command::Look(NowView::Division));
    page.sets("team-a", "quota", "3");
    let frame = page.model.frame.as_deref().expect("a moment");
    let was = before::ghost_ladder(&page.model).expect("it was explained before");
    let now = page.model.ladder.as_deref().expect("it is explained");
    let old = before::ghost(&page.model).expect("it was kept");
    let [now, was] = [(frame, now), (&old, &was)]
        .map(|(frame, ladder)| division::division(frame, &ladder.levels[0], 2, usize::MAX));
    let view = division::with_ghost(now, &was, true);
    let terms = fairground_web::model::Terms::of("kai");
    assert_eq!(
        division::says(&view.tanks[0], view.was, terms),
        "team-a: 3 given, 3 of it quota, asks for 3, weight 1; was given 2"
    );
    let changed = before::changed(&page.model);
    let ghost = Ghost { frame: &old, changed: changed.as_deref() };
    let view = cluster::cluster(frame, Some(ghost), None, 600.0, 2);
    let says: Vec<&str> =
        view.cards.iter().flat_map(|card| &card.cells).map(|cell| cell.says.as_str()).collect();
    assert!(says.iter().any(|says| says.ends_with("; before: b2")), "{says:?}");
    assert!(view.marks.contains(&cluster::CellMark::Before));
}
