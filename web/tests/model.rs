//! The model under any sequence of commands: undo restores the document, nothing panics.

use std::sync::Arc;

use fairground_web::state::document::{Change, Opened, Origin, Shift};

use crate::whole::loads;
use fairground::id::{JobId, QueueId};
use fairground::moment::Names;
use fairground::scenario::{Path, Scenario};
use fairground::trace::Event;
use fairground::translate::{Note, NoteKind};
use fairground::words::Selection;
use fairground_web::engine::protocol::{
    At, EventRow, Frame, Message, Moment, MomentRequest, NoteRow, Request, Response,
};
use fairground_web::library;
use fairground_web::state::command::Command;
use fairground_web::state::effect::Effect;
use fairground_web::state::layout::options::{Panel, SetupTab};
use fairground_web::state::model::Model;
use fairground_web::state::update::{begin, update};

/// A small random number generator, equal on every machine.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below.max(1)
    }
    fn of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.next(items.len())].clone()
    }
}

fn model() -> Model {
    Model::new(Opened::new(library::start(), Origin::Start))
}

fn at(queue: &str, field: &str) -> Path {
    Path::default().field("queues").named(queue).field("gpu").field(field)
}

fn set(queue: &str, field: &str, value: &str) -> Command {
    Command::Set { at: at(queue, field), value: value.to_string() }
}

/// Replies to the latest request for a frame, as an engine would.
fn answer(model: &mut Model, effects: &[Effect]) {
    for effect in effects {
        let Effect::Send(Message { generation, body: ask }) = effect else { continue };
        let Request::Moment(MomentRequest { at: At::Cycle(cycle), .. }) = ask else { continue };
        let time_ms = i64::from(*cycle) * 1000;
        let frame = Box::new(Frame { cycle: *cycle, time_ms, ..Frame::default() });
        let moment = Moment { frame: Some(frame), run: Some(Box::default()), ..Moment::default() };
        let say = Response::Moment(Box::new(moment));
        update(model, Command::Replied(Box::new(Message { generation: *generation, body: say })));
    }
}

#[test]
fn an_edit_from_a_cycle_on_is_an_entry_of_the_timeline() {
    let mut model = model();
    let effects = begin(&mut model);
    answer(&mut model, &effects);
    let effects = update(&mut model, Command::GoTo(7));
    answer(&mut model, &effects);
    update(&mut model, Command::EditLater(true));
    let before = model.document.scenario.clone();
    let effects = update(&mut model, set("team-a", "quota", "3"));
    assert_eq!(model.document.scenario.queues, before.queues, "the start stays");
    assert_eq!(model.document.scenario.timeline.len(), 1);
    assert!(loads(&effects).any(|ask| ask.at == At::Cycle(7)), "the run is computed anew, the cursor stays");
    answer(&mut model, &effects);
    update(&mut model, set("team-a", "quota", "many"));
    assert_eq!(model.document.scenario.timeline.len(), 1, "no valid value");
    let name = Path::default().field("queues").named("team-a").field("name");
    update(&mut model, Command::Set { at: name, value: "team-x".into() });
    let names: Vec<&str> = model.document.scenario.queues.iter().map(|q| q.name.as_str()).collect();
    assert_eq!(names, ["team-x", "team-b"], "a name holds from the start: {:?}", model.notices);
    assert!(model.notices.iter().any(|n| n.text.contains("applies from the start")));
    update(&mut model, Command::Undo);
    let effects = update(&mut model, Command::Undo);
    assert_eq!(*model.document.scenario, *before);
    let said = |e: &Effect| match e {
        Effect::Announce(text) => Some(text.clone()),
        _ => None,
    };
    let said: Vec<String> = effects.iter().filter_map(said).collect();
    assert_eq!(said, ["Undone: quota of team-a 2 → 3 from cycle 7."]);
    update(&mut model, Command::EditLater(false));
    update(&mut model, set("team-a", "quota", "3"));
    assert!(model.document.scenario.timeline.is_empty());
}

fn any_command(numbers: &mut Numbers, scenario: &Scenario) -> Command {
    let mut names: Vec<String> = scenario.queues.iter().map(|q| q.name.clone()).collect();
    names.push("nobody".into());
    let queue = numbers.of(&names);
    let job = scenario.jobs.get(numbers.next(scenario.jobs.len())).map_or("none".into(), |j| j.name.clone());
    let value = numbers.of(&["0", "3", "1.5", "", "unlimited", "x", "-2", "9999999999999999999"]);
    match numbers.next(23) {
        0..4 => set(&queue, numbers.of(&["quota", "weight", "limit", "nonsense"]), value),
        4 => Command::Preview { at: at(&queue, "quota"), value: value.into() },
        5 => Command::PreviewEnd,
        6 => Command::GestureEnd,
        7 => Command::Change(Change::AddQueue { parent: Some(queue) }),
        8 => Command::Change(Change::AddQueue { parent: None }),
        9 => Command::Change(Change::DuplicateQueue { queue, jobs: numbers.next(2) == 0 }),
        10 => {
            let under = Shift::Under(Some(numbers.of(&names)));
            let before = Shift::Before(numbers.of(&names));
            let to = numbers.of(&[Shift::Up, Shift::Down, Shift::Under(None), under, before]);
            Command::Change(Change::MoveQueue { queue, to })
        }
        11 => Command::Change(Change::RemoveQueue(queue)),
        12 => Command::Change(Change::AddJob { queue: Some(queue) }),
        13 => Command::Change(numbers.of(&[Change::RemoveJob(job.clone()), Change::DuplicateJob(job)])),
        14 => Command::Change(Change::AddNodes),
        15 => Command::Set {
            at: Path::default().field("queues").named(&queue).field("name"),
            value: numbers.of(&["renamed", "team-a", "", "a b"]).into(),
        },
        16 => numbers.of(&[Command::Undo, Command::Redo, Command::StepDecision { back: false }]),
        17 => numbers.of(&[Command::Step, Command::Back, Command::GoTo(7), Command::Tick, Command::Play(true)]),
        18 => Command::Select(Some(numbers.of(&[Selection::Queue(queue), Selection::Job(job)]))),
        19 => numbers.of(&[Command::EngineDied, Command::Cancel, Command::NextEvent { back: false }]),
        20 => numbers.of(&[
            Command::Tab(SetupTab::Work),
            Command::Panel(Panel::Why),
            Command::Resource(9.into()),
            Command::EditLater(true),
            Command::EditLater(false),
        ]),
        21 => {
            let edited = Scenario { name: value.into(), ..scenario.clone() };
            Command::SetText(Box::new(edited))
        }
        _ => Command::FocusField(at(&queue, "limit")),
    }
}

#[test]
fn undo_leads_back_to_the_start_from_anywhere() {
    for seed in 0..60 {
        let mut numbers = Numbers(seed);
        let mut model = model();
        let start = model.document.scenario.clone();
        let effects = begin(&mut model);
        answer(&mut model, &effects);
        for _ in 0..120 {
            model.clock_ms += numbers.next(1_500) as u64;
            let command = any_command(&mut numbers, &model.document.scenario.clone());
            let effects = update(&mut model, command);
            if numbers.next(3) > 0 {
                answer(&mut model, &effects);
            }
        }
        let end = model.document.scenario.clone();
        let mut undone = 0;
        while model.document.history.undo_name().is_some() {
            update(&mut model, Command::Undo);
            undone += 1;
            assert!(undone <= 200, "history is bounded");
        }
        assert_eq!(model.document.scenario, start, "seed {seed}");
        for _ in 0..undone {
            update(&mut model, Command::Redo);
        }
        assert_eq!(model.document.scenario, end, "seed {seed}");
    }
}

#[test]
fn one_gesture_is_one_named_step() {
    let mut model = model();
    for (i, value) in ["3", "4", "5"].into_iter().enumerate() {
        model.clock_ms = 1_000 + 200 * i as u64;
        update(&mut model, set("team-a", "quota", value));
    }
    assert_eq!(model.document.history.len(), 1);
    assert_eq!(model.document.history.undo_name(), Some("quota of team-a 2 → 5"));
    model.clock_ms += 501;
    update(&mut model, set("team-a", "quota", "6"));
    assert_eq!(model.document.history.undo_name(), Some("quota of team-a 5 → 6"));
    update(&mut model, Command::GestureEnd);
    update(&mut model, set("team-a", "quota", "unlimited"));
    assert_eq!(model.document.history.len(), 3);
    for _ in 0..3 {
        update(&mut model, Command::Undo);
    }
    assert_eq!(*model.document.scenario, library::start());
    assert_eq!(model.document.history.redo_name(), Some("quota of team-a 2 → 5"));
}

#[test]
fn an_invalid_value_changes_nothing() {
    let mut model = model();
    let before = model.document.scenario.clone();
    for value in ["many", "2 apples", "1e99"] {
        let effects = update(&mut model, set("team-a", "quota", value));
        assert!(Arc::ptr_eq(&before, &model.document.scenario), "{value}");
        assert!(!effects.iter().any(|e| matches!(e, Effect::Send(_) | Effect::Save)), "{value}");
        assert!(model.notices.last().is_some_and(|n| n.is_problem), "{value}");
    }
    assert!(model.document.history.is_empty());
}

#[test]
fn with_mistakes_time_stands_still_and_the_focus_goes_to_the_first() {
    let mut scenario = library::start();
    let queues = Arc::make_mut(&mut scenario.queues);
    queues[0].gpu.quota = Some("many".into());
    queues[1].gpu.limit = Some("-3".into());
    let mut model = Model::new(Opened::new(scenario, Origin::Files));
    begin(&mut model);
    for command in [Command::Step, Command::Play(true), Command::StepDecision { back: false }] {
        model.view.tab = SetupTab::Nodes;
        let effects = update(&mut model, command);
        let said = effects.iter().find_map(|effect| match effect {
            Effect::Announce(text) => Some(text.as_str()),
            _ => None,
        });
        let name = &model.document.scenario.queues[0].name;
        assert_eq!(
            said,
            Some(
                "The scenario cannot run: it has 2 mistakes. The first: quota \"many\" is not a number of GPUs such as 8 or \
                 0.5, or unlimited."
            )
        );
        assert!(effects.contains(&Effect::FocusField(at(name, "quota"))), "{effects:?}");
        assert!(!effects.iter().any(|effect| matches!(effect, Effect::Send(_) | Effect::Tick(Some(_)))));
        assert_eq!((model.playback.cursor, model.playback.playing, model.view.tab), (0, false, SetupTab::Queues));
    }
    for at in [at("team-a", "quota"), at("team-b", "limit")] {
        update(&mut model, Command::Set { at, value: "2".into() });
    }
    let effects = update(&mut model, Command::Step);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Send(_))), "once they are mended it goes on");
}

#[test]
fn an_edit_is_run_kept_and_put_into_the_address() {
    let mut model = model();
    let first = begin(&mut model);
    answer(&mut model, &first);
    update(&mut model, Command::Step);
    let effects = update(&mut model, set("team-a", "weight", "3"));
    let run = loads(&effects).next().expect("a run");
    let queues = &run.scenario.as_ref().expect("its scenario").queues;
    assert!(run.at == At::Cycle(1) && queues.iter().any(|queue| queue.gpu.weight == Some("3".into())));
    assert!(effects.contains(&Effect::Save) && effects.contains(&Effect::SetUrl));
    assert!(model.moment.is_stale && model.document.draft.is_some() && model.document.is_changed);
}

#[test]
fn text_that_cannot_be_read_is_kept_until_it_can_be_or_is_given_up() {
    let mut model = model();
    let effects = update(&mut model, Command::Unread(Some("bad: [".into())));
    assert!(effects.contains(&Effect::Save));
    update(&mut model, set("team-a", "weight", "4"));
    let draft = model.draft("", None);
    let again = Model::new(draft.open("mine").expect("it was a scenario"));
    assert_eq!(again.document.unread.as_deref(), Some("bad: ["));
    assert_eq!(again.document.scenario, model.document.scenario);
    // Discarded by a button, which can be undone.
    update(&mut model, Command::Unread(None));
    assert_eq!(model.document.unread, None);
    let (_, back) = model.notices.last().and_then(|n| n.action.clone()).expect("a way back");
    update(&mut model, back);
    assert_eq!(model.document.unread.as_deref(), Some("bad: ["));
    // The text became a scenario again, although an equal one: the draft no longer contains the text.
    let same = Box::new((*model.document.scenario).clone());
    let effects = update(&mut model, Command::SetText(same));
    assert!(model.document.unread.is_none() && effects.contains(&Effect::Save));
    assert_eq!(model.draft("", None).text, "");
}

#[test]
fn a_document_that_is_open_elsewhere_goes_on_as_a_copy() {
    let mut model = model();
    update(&mut model, set("team-a", "weight", "3"));
    let first = model.document.draft.clone().expect("it is kept");
    // Unchanged since it was opened: the next change makes the copy.
    let effects = update(&mut model, Command::OwnCopy(None));
    assert!(model.document.draft.is_none() && !effects.contains(&Effect::Save));
    assert!(model.notices.last().is_some_and(|n| n.text.contains("another tab") && !n.is_problem));
    model.clock_ms += 1000;
    update(&mut model, set("team-a", "weight", "4"));
    assert!(model.document.draft.as_ref().is_some_and(|id| *id != first));
    // Changed: the copy is saved under the given id.
    let effects = update(&mut model, Command::OwnCopy(Some("own".into())));
    assert_eq!(model.document.draft.as_deref(), Some("own"));
    assert!(effects.contains(&Effect::Save));
}

#[test]
fn replies_to_old_questions_are_dropped() {
    let mut model = model();
    let old = begin(&mut model);
    let new = update(&mut model, Command::GoTo(5));
    answer(&mut model, &old);
    assert!(model.moment.frame.is_none());
    answer(&mut model, &new);
    assert_eq!(model.moment.frame.as_ref().map(|f| f.cycle), Some(5));
}

#[test]
fn a_dead_engine_is_started_again_and_the_scenario_kept() {
    let mut model = model();
    let effects = begin(&mut model);
    answer(&mut model, &effects);
    update(&mut model, set("team-a", "quota", "4"));
    let edited = model.document.scenario.clone();
    let effects = update(&mut model, Command::EngineDied);
    assert_eq!(effects.first(), Some(&Effect::RestartEngine));
    assert_eq!(loads(&effects).count(), 1);
    assert!(Arc::ptr_eq(&edited, &model.document.scenario));
    let effects = update(&mut model, Command::EngineDied);
    assert!(!effects.iter().any(|e| matches!(e, Effect::Send(_))), "twice in a row: wait for the person");
}

#[test]
fn removing_a_queue_offers_to_take_it_back() {
    let mut model = model();
    update(&mut model, Command::Change(Change::RemoveQueue("team-b".into())));
    assert_eq!(model.document.scenario.queues.len(), 1);
    assert_eq!(model.document.scenario.jobs.len(), 2);
    let notice = model.notices.last().expect("a notice");
    assert_eq!(notice.text, "Removed queue team-b and 2 jobs.");
    let (_, undo) = notice.action.clone().expect("a way back");
    update(&mut model, undo);
    assert_eq!(*model.document.scenario, library::start());
}

#[test]
fn a_shared_scenario_becomes_a_copy_when_it_is_changed() {
    let opened = Opened::new(library::start(), Origin::Link);
    let mut model = Model::new(opened);
    update(&mut model, Command::Step);
    assert_eq!((model.document.origin.clone(), model.document.draft.clone()), (Origin::Link, None));
    update(&mut model, set("team-a", "quota", "4"));
    assert_eq!(model.document.origin, Origin::Draft);
    assert!(model.document.draft.is_some());
}

#[test]
fn the_palette_finds_commands_and_things_by_parts_of_their_names() {
    use fairground_web::dialogs::palette::view::{Action, find};
    let mut model = model();
    let first = |model: &Model, typed: &str| find(model, typed).first().map(|e| e.label.clone());
    assert_eq!(first(&model, "").as_deref(), Some("Step"));
    assert_eq!(first(&model, "cycle go").as_deref(), Some("Go to a cycle"));
    assert_eq!(first(&model, "team-b").as_deref(), Some("team-b"));
    assert_eq!(first(&model, "zzz"), None);
    let floor = find(&model, "quota is a guarantee");
    assert_eq!(floor[0].action, Action::Example("quota-is-a-floor"));
    update(&mut model, Command::Used("Keys".into()));
    assert_eq!(first(&model, "").as_deref(), Some("Keys"));
    update(&mut model, set("team-a", "quota", "3"));
    let undo = find(&model, "undo").remove(0);
    assert_eq!(undo.label, "Undo: quota of team-a 2 → 3");
    let Action::Do(command) = undo.action else { panic!("undo is a command") };
    update(&mut model, command);
    assert_eq!(*model.document.scenario, library::start());
}

#[test]
fn edits_of_the_text_are_one_step_while_they_last() {
    use fairground_web::state::document;
    let mut model = model();
    let text = document::to_yaml(&model.document.scenario);
    for (i, name) in ["N", "Ne", "New"].into_iter().enumerate() {
        model.clock_ms = 1_000 + 200 * i as u64;
        let edited = text.replacen("Two teams, four GPUs", name, 1);
        let (scenario, findings) = document::draft(&edited);
        assert!(findings.iter().all(|f| f.position.is_some()));
        update(&mut model, Command::SetText(Box::new(scenario.expect("a scenario"))));
    }
    assert_eq!((model.document.scenario.name.as_str(), model.document.history.len()), ("New", 1));
    update(&mut model, Command::Undo);
    assert_eq!(*model.document.scenario, library::start());
    let (none, wrong) = document::draft(&text.replacen("limit: unlimited", "limit: lots", 1));
    let line = text.lines().position(|l| l.contains("limit: unlimited")).expect("a limit") as u32 + 1;
    assert!(none.is_some(), "its shape is a scenario's");
    assert_eq!(wrong[0].position.map(|(line, _)| line), Some(line));
    let (none, wrong) = document::draft("queues: [");
    assert!(none.is_none() && wrong[0].position.is_some());
}

#[test]
fn a_queue_is_moved_before_another_one_as_its_sibling() {
    let opened = Opened::new(
        library::Example::find("tree-decides").expect("an example").scenario(),
        Origin::Example("tree-decides".into()),
    );
    let mut model = Model::new(opened);
    let start = model.document.scenario.clone();
    let names = |model: &Model| {
        let rows = fairground_web::state::document::tree::rows(&model.document.scenario, &Default::default());
        rows.into_iter().map(|row| (row.name, row.depth)).collect::<Vec<_>>()
    };
    let before = names(&model);
    let (first, _) = before[0].clone();
    let (deep, depth) = before.iter().find(|(_, depth)| *depth > 0).cloned().expect("a child");
    let to = Shift::Before(first.clone());
    update(&mut model, Command::Change(Change::MoveQueue { queue: deep.clone(), to }));
    assert_eq!(names(&model)[0], (deep.clone(), 0));
    assert_eq!(model.document.history.undo_name(), Some(format!("move {deep} before {first}").as_str()));
    update(&mut model, Command::Undo);
    assert_eq!((model.document.scenario.clone(), names(&model)), (start, before.clone()));
    let to = Shift::Before(deep.clone());
    let parent = before.iter().rev().skip_while(|(name, _)| *name != deep).find(|(_, d)| *d < depth);
    let (parent, _) = parent.cloned().expect("a parent");
    update(&mut model, Command::Change(Change::MoveQueue { queue: parent, to }));
    assert!(model.notices.last().is_some_and(|n| n.is_problem), "never below itself");
    assert_eq!(names(&model), before);
}

#[test]
fn a_link_carries_the_moment_inside_a_cycle_and_the_view() {
    use fairground_web::address::{Fragment, read, write};
    use fairground_web::state::layout::options::NowView;
    let mut model = model();
    model.playback.cursor = 7;
    model.playback.decision = Some(3);
    update(&mut model, Command::ShowView(NowView::Division));
    let link = write(&model);
    assert!(link.contains("at=7.3") && link.contains("view=division"), "{link}");
    let Fragment::Document(opened) = read(&link) else { panic!("a document") };
    let model = Model::new(*opened);
    assert_eq!((model.playback.cursor, model.playback.decision, model.view.now), (7, Some(3), NowView::Division));
}

/// The translation requests among some effects.
fn translations(effects: &[Effect]) -> Vec<(u64, &str)> {
    let of = |effect| match effect {
        &Effect::Send(Message { generation, body: Request::Translate { ref policy, .. } }) => {
            Some((generation, policy.as_str()))
        }
        _ => None,
    };
    effects.iter().filter_map(of).collect()
}

/// A change of the policy is one undo step, reports what became of the settings, and never overwrites an edit.
#[test]
fn another_policy_is_translated() {
    let mut model = model();
    let before = model.document.scenario.clone();
    assert_eq!(translations(&update(&mut model, Command::Policy("kai".into()))), vec![]);
    let requested = update(&mut model, Command::Policy("ego".into()));
    let [(generation, "ego")] = translations(&requested)[..] else { panic!("{requested:?}") };
    update(&mut model, set("team-a", "quota", "3"));
    let edited = model.document.scenario.clone();
    let mut translated = (*edited).clone();
    translated.policy = "ego".into();
    let note = Note { kind: NoteKind::Dropped, says: "gone".into(), at: vec![at("team-a", "quota")] };
    let say = Response::Translated {
        policy: "ego".into(),
        scenario: Some(Box::new(translated.clone())),
        notes: vec![NoteRow { note, n: 1 }],
    };
    let reply = |generation, say: &Response| Command::Replied(Box::new(Message { generation, body: say.clone() }));
    let again = update(&mut model, reply(generation, &say));
    assert_eq!(model.document.scenario, edited, "the answer was about the scenario before the edit");
    let [(generation, "ego")] = translations(&again)[..] else { panic!("{again:?}") };
    update(&mut model, reply(generation, &say));
    assert_eq!(*model.document.scenario, translated);
    assert_eq!(model.document.translated.as_ref().map(|t| t.count(NoteKind::Dropped)), Some(1));
    assert!(model.notices.iter().any(|notice| notice.text.contains("1 dropped")), "{:?}", model.notices);
    assert_eq!(model.document.history.undo_name(), Some("policy KAI → EGO"));
    update(&mut model, Command::Undo);
    assert_eq!(model.document.scenario, edited);
    update(&mut model, Command::Undo);
    assert_eq!(model.document.scenario, before);
}

#[test]
fn ranges_are_marked_from_where_the_cursor_was() {
    let mut model = Model::new(Opened::new(library::start(), Origin::Start));
    model.playback.cursor = 4;
    use fairground_web::state::moment::commands::lane;
    let mut does = |command: Command| {
        update(&mut model, command);
        (lane(&model).range, model.playback.cursor)
    };
    assert_eq!(does(Command::Mark(Some(5))), (Some((4, 5)), 5));
    assert_eq!(does(Command::Mark(Some(7))), (Some((4, 7)), 7), "the same range goes on");
    assert_eq!(does(Command::Mark(Some(2))), (Some((2, 4)), 2), "to the other side");
    assert_eq!(does(Command::GoTo(9)), (Some((2, 4)), 9), "a step leaves it where it is");
    assert_eq!(does(Command::Mark(Some(8))), (Some((8, 9)), 8), "elsewhere another one begins");
    assert_eq!(does(Command::Mark(Some(9))), (None, 9), "nothing is left of it");
    does(Command::Mark(Some(3)));
    assert_eq!(does(Command::Mark(None)), (None, 3));
}

#[test]
fn jumps_stop_at_what_is_chosen() {
    use fairground_web::state::layout::options::EventSubject;
    let mut model = Model::new(Opened::new(library::start(), Origin::Start));
    let requested = |model: &mut Model| {
        let effects = update(model, Command::NextEvent { back: false });
        effects.into_iter().find_map(|effect| match effect {
            Effect::Send(Message { body: Request::NextEvent { queue, job, .. }, .. }) => Some((queue, job)),
            _ => None,
        })
    };
    let name = |name: &str| Some(name.to_string());
    assert_eq!(requested(&mut model), Some((None, None)));
    update(&mut model, Command::Select(Some(Selection::Queue("team-a".into()))));
    assert_eq!(requested(&mut model), Some((name("team-a"), None)));
    model.auto_selected = true;
    assert_eq!(requested(&mut model), Some((None, None)), "the page's own selection does not narrow the search");
    model.auto_selected = false;
    update(&mut model, Command::EventsOf(EventSubject::All));
    assert_eq!(requested(&mut model), Some((None, None)));
    update(&mut model, Command::EventsOf(EventSubject::Job("b2".into())));
    assert_eq!(requested(&mut model), Some((None, name("b2"))));
    let names = Names { jobs: vec![("a2".into(), QueueId(0))], ..Names::default() };
    let events = vec![EventRow::of(Event::Submitted { job: JobId(0) })];
    model.moment.frame = Some(Frame { events, names: names.into(), ..Frame::default() }.into());
    update(&mut model, Command::EventsOf(EventSubject::Selected));
    model.selection = Some(Selection::Event { cycle: 0, index: 0 });
    assert_eq!(requested(&mut model), Some((None, name("a2"))), "of an event its job");
}
