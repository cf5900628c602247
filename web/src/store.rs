//! The state as signals: memos of its parts; applies commands and executes their effects.

use fairground::units::{Resource, ShownResource};
use std::sync::Arc;

use fairground::lesson::Lesson;
use fairground::scenario::{Diagnostic, Path, Scenario, at_moment};
use fairground::words::{Ladder, Order, Selection, Terms};
use leptos::prelude::*;

use crate::address::{self, Fragment};
use crate::chart::selection::selection_closure;
use crate::effects::{Effects, Host};
use crate::engine::protocol::{EventChecks, Frame, Rulebook, Run};
use crate::engine::report::Report;
use crate::lessons::fetch::fetch;
use crate::lessons::{LinkedLesson, Listed};
use crate::state::branches::{Baseline, alternative};
use crate::state::command::{Command, Dispatch};
use crate::state::document::{Opened, Origin, ValidValue, timeline_edit};
use crate::state::effect::Effect;
use crate::state::engine_state::EngineState;
use crate::state::layout::options::Dialog;
use crate::state::layout::view::View;
use crate::state::lesson::step::{LessonStep, RecordStep};
use crate::state::model::Model;
use crate::state::update::update;
use crate::{library, startup, storage};

/// Access to the model for components. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Store {
    cell: ModelCell,
    effects: StoredValue<Effects, LocalStorage>,
    pub scenario: Memo<Arc<Scenario>>,
    /// The document with the queue values in force at the moment from which edits apply.
    pub edited: Memo<Arc<Scenario>>,
    /// The vocabulary of the policy.
    pub terms: Memo<&'static Terms>,
    pub findings: Memo<Arc<Vec<Diagnostic>>>,
    pub frame: Signal<Option<Arc<Frame>>>,
    /// The preview of the current edit at that moment, otherwise the baseline of the last edit.
    pub alternative: Signal<Option<Arc<Frame>>>,
    /// The run that `alternative` belongs to.
    pub alternative_run: Signal<Option<Arc<Run>>>,
    /// The report on that run.
    pub alternative_report: Memo<Option<Arc<Report>>>,
    /// The outcome before the last edit.
    pub before: Memo<Option<Arc<Baseline>>>,
    /// What was changed, if the alternative is the baseline.
    pub changed: Memo<Option<String>>,
    /// Summary of the run.
    pub run: Signal<Option<Arc<Run>>>,
    pub selection: Signal<Option<Selection>>,
    /// The selection and everything it belongs to.
    selection_closure: Memo<Vec<Selection>>,
    /// The resource whose settings are shown.
    pub resource: Signal<Resource>,
    /// The resource of charts.
    pub charted: Signal<ShownResource>,
    /// The resource that is explained for the selected queue.
    pub explained: Signal<Resource>,
    /// Explanation of the selected queue's fair share.
    pub ladder: Signal<Option<Arc<Ladder>>>,
    /// The comparisons of the event that explains the selection, if the frame does not have them.
    pub event: Signal<Option<Arc<EventChecks>>>,
    /// The serving order around the selected queue or job.
    pub order: Signal<Option<Arc<Order>>>,
    /// The rule book of the policy.
    pub rules: Signal<Option<Arc<Rulebook>>>,
    /// The report on the whole run.
    pub report: Memo<Option<Arc<Report>>>,
    /// The explanation of the fair share in the alternative.
    pub alternative_ladder: Signal<Option<Arc<Ladder>>>,
    /// The layout of the page.
    pub view: Memo<View>,
    pub engine: Memo<EngineState>,
    /// Text of the live region.
    pub announcement: RwSignal<String>,
    /// Whether the page is used by touch, without hover.
    pub touched: RwSignal<bool>,
    /// The node pool whose numbers are shown; empty: all.
    pub pool: Memo<String>,
}

impl Store {
    pub fn new(model: Model) -> Store {
        let cell = ModelCell::new(model);
        let scenario = cell.watched(|m| m.document.scenario.clone(), is_another);
        let frame = cell.watched(|m| m.moment.shown().cloned(), is_another_or_none);
        let selection = cell.watched(|m| m.selection.clone(), differ);
        Store {
            cell,
            effects: StoredValue::new_local(Effects::default()),
            scenario,
            terms: Memo::new(move |_| scenario.with(|s| Terms::of(&s.policy))),
            edited: cell.watched(
                |m| match timeline_edit::moment(m) {
                    Some((_, time_ms)) => at_moment(&m.document.scenario, time_ms),
                    None => m.document.scenario.clone(),
                },
                is_another,
            ),
            findings: cell.part(|m| m.document.findings.clone(), is_another),
            frame: frame.into(),
            alternative: cell.watched(alternative::moment, is_another_or_none).into(),
            alternative_run: cell.part(alternative::run, is_another_or_none).into(),
            alternative_report: cell.part(alternative::report, is_another_or_none),
            before: cell.part(|m| m.branches.baseline.clone(), is_another_or_none),
            changed: cell.part(alternative::changed, differ),
            run: cell.part(|m| m.moment.run.clone(), is_another_or_none).into(),
            selection: selection.into(),
            selection_closure: Memo::new(move |_| selection_closure(frame.get().as_deref(), selection.get().as_ref())),
            resource: cell.watched(Model::settings_resource, differ).into(),
            charted: cell.watched(|m| m.resource, differ).into(),
            explained: cell.part(Model::explained_resource, differ).into(),
            ladder: cell.part(|m| m.moment.ladder.clone(), is_another_or_none).into(),
            event: cell.part(|m| m.moment.event.clone(), is_another_or_none).into(),
            order: cell.part(|m| m.moment.order.clone(), is_another_or_none).into(),
            rules: cell.part(|m| m.rules.clone(), is_another_or_none).into(),
            alternative_ladder: cell.part(alternative::ladder, is_another_or_none).into(),
            report: cell.part(|m| m.moment.report.clone(), is_another_or_none),
            view: cell.watched(|m| m.view.clone(), differ),
            engine: cell.part(|m| m.engine.state.clone(), differ),
            announcement: RwSignal::new(String::new()),
            touched: RwSignal::new(false),
            pool: cell.part(|m| m.view.pool.clone(), differ),
        }
    }

    pub fn get() -> Store {
        expect_context::<Store>()
    }

    /// A memo of a part of the model, which changes only with its value.
    pub fn part<T: PartialEq + Send + Sync + 'static>(self, part: fn(&Model) -> T) -> Memo<T> {
        self.cell.part(part, differ)
    }

    /// A memo of a text that is derived from the model and captured values.
    pub fn text(self, part: impl Fn(&Model) -> String + Send + Sync + 'static) -> Memo<String> {
        let part: Box<dyn Fn(&Model) -> String + Send + Sync> = Box::new(part);
        self.cell.part(part, differ)
    }

    /// Whether something is selected, or contains the selection.
    pub fn is_in_selection(self, at: &Selection) -> bool {
        self.selection_closure.with(|selection_closure| selection_closure.contains(at))
    }

    /// The report and frame of the alternative, and what was changed if it is the baseline.
    pub fn reported_alternative(self) -> Option<(Arc<Report>, Arc<Frame>, Option<String>)> {
        Some((self.alternative_report.get()?, self.alternative.get()?, self.changed.get()))
    }

    /// Reads the current model without subscribing to it.
    pub fn now<T>(self, read: impl FnOnce(&Model) -> T) -> T {
        self.cell.model.with_value(read)
    }

    /// Opens what a fragment links to; `is_in_bar`: it is that of the address bar.
    pub fn follow(self, fragment: String, is_in_bar: bool) {
        match address::read(&fragment) {
            Fragment::Document(opened) => {
                self.effects.update_value(|effects| {
                    effects.has_entry = is_in_bar;
                    if is_in_bar {
                        effects.set_address(fragment);
                    }
                });
                self.dispatch(Command::Open(opened));
            }
            Fragment::Damaged(says) => self.dispatch(Command::Dialog(Some(Dialog::BadLink(says)))),
            Fragment::Reset if is_in_bar => {
                self.effects.update_value(|effects| effects.set_address(String::new()));
                address::clear_bar();
                self.dispatch(Command::Dialog(Some(Dialog::Reset)));
            }
            Fragment::Lesson(lesson, at) => {
                if is_in_bar {
                    self.effects.update_value(|effects| effects.set_address(fragment));
                }
                self.follow_lesson(lesson, at, is_in_bar);
            }
            Fragment::Reset | Fragment::Empty => {}
        }
    }

    /// Plays the lesson of a link; `is_in_bar`: the link is in the address bar.
    pub fn follow_lesson(self, lesson: LinkedLesson, at: Option<usize>, is_in_bar: bool) {
        match lesson {
            LinkedLesson::Listed(listed) => self.open_lesson(listed, at, is_in_bar),
            LinkedLesson::Own(lesson) => {
                self.effects.update_value(|effects| effects.has_entry = is_in_bar);
                self.play("", Ok(Lesson::clone(&lesson)), at.unwrap_or(0));
            }
        }
    }

    /// Fetches a lesson and plays it from a frame, or from where it was left; `is_in_bar`: its link is in the address
    /// bar.
    pub fn open_lesson(self, listed: &'static Listed, at: Option<usize>, is_in_bar: bool) {
        let at = at.unwrap_or_else(|| match self.now(|m| m.lessons.of(listed.id)) {
            n if n < listed.frames => n.saturating_sub(1),
            _ => 0,
        });
        fetch(listed.id, move |read| {
            self.effects.update_value(|effects| effects.has_entry = is_in_bar && read.is_ok());
            self.play(listed.id, read, at);
        });
    }

    /// Plays a lesson, or reports why it cannot be read; `id`: its name in the list, or empty.
    pub fn play(self, id: &str, read: Result<Lesson, String>, at: usize) {
        self.dispatch(match read {
            Ok(lesson) => {
                let (id, lesson) = (id.to_string(), Arc::new(lesson));
                Command::Lesson(LessonStep::Open { id, lesson, at })
            }
            Err(text) => Command::Notify { is_problem: true, text },
        });
    }

    /// Reopens the document of a history entry after the visitor navigated to it.
    pub fn go_back(self, entry: String, fragment: String) {
        if matches!(address::read(&fragment), Fragment::Lesson(..)) {
            return self.follow(fragment, true);
        }
        self.effects.update_value(|effects| effects.set_address(fragment.clone()));
        storage::set_own_address(&fragment);
        // Save this document before the other one is read: both may be the same draft.
        self.keep();
        if let Some(opened) = startup::returned(&entry, &fragment) {
            self.effects.update_value(|effects| effects.has_entry = true);
            self.dispatch(Command::Open(opened));
        }
    }

    /// Deletes everything stored on this device and opens the start scenario.
    pub fn start_over(self) {
        self.effects.update_value(Effects::forget);
        storage::clear();
        address::clear_bar();
        self.open_in_place(Opened::new(library::start(), Origin::Start));
    }

    /// Opens a document that already has a history entry.
    fn open_in_place(self, opened: Opened) {
        self.effects.update_value(|effects| effects.has_entry = true);
        self.dispatch(Command::Open(Box::new(opened)));
    }

    /// Applies a command to the model and executes the resulting effects.
    pub fn dispatch(self, command: Command) {
        let opens = matches!(
            command,
            Command::Open(_)
                | Command::TakeImport { .. }
                | Command::Lesson(LessonStep::Open { .. })
                | Command::Record(RecordStep::Show(_) | RecordStep::Replace(_))
        );
        let before = opens.then(|| self.now(|m| m.document.scenario.clone()));
        if opens {
            self.effects.update_value(|effects| effects.before_open(self));
        }
        let effects = self.cell.change(|model| {
            model.clock_ms = js_sys::Date::now() as u64;
            update(model, command)
        });
        self.carry_out(effects.unwrap_or_default());
        if before.is_some_and(|before| self.now(|m| !Arc::ptr_eq(&before, &m.document.scenario))) {
            self.effects.update_value(|effects| effects.after_open(self));
        }
        self.sync_open_draft();
    }

    /// A callback that runs a command.
    pub fn press(self, command: Command) -> Callback<()> {
        Callback::new(move |()| self.dispatch(command.clone()))
    }

    /// Passes the open draft on to the effects.
    fn sync_open_draft(self) {
        if self.now(|m| m.view.embed.is_some()) {
            return;
        }
        let is_synced =
            self.now(|m| self.effects.with_value(|effects| effects.open_draft() == m.document.draft.as_ref()));
        if !is_synced {
            let draft = self.now(|m| m.document.draft.clone());
            self.effects.update_value(|effects| effects.set_open_draft(self, draft));
        }
    }

    /// Requests the initial frame from the engine.
    pub fn begin_run(self) {
        self.carry_out(self.cell.change(crate::state::update::begin).unwrap_or_default());
        self.sync_open_draft();
    }

    /// Saves pending changes.
    pub fn keep(self) {
        self.effects.update_value(|effects| effects.save_now(self));
    }

    fn carry_out(self, effects: Vec<Effect>) {
        for effect in effects {
            self.effects.update_value(|effects| effects.run(self, effect));
        }
    }

    /// Checks a text as the value of a field; `Err` says why it cannot be.
    pub fn try_set(self, at: &Path, text: &str) -> Result<ValidValue, String> {
        self.now(|model| timeline_edit::try_set(model, at, text))
    }
}

impl Dispatch for Store {
    fn dispatch(self, command: Command) {
        Store::dispatch(self, command);
    }
}

impl Host for Store {
    fn now<T>(self, read: impl FnOnce(&Model) -> T) -> T {
        Store::now(self, read)
    }
    fn announce(self, text: String) {
        self.announcement.set(text);
    }
    fn effects(self) -> StoredValue<Effects, LocalStorage> {
        self.effects
    }
}

/// The model and the signals of its parts.
///
/// The model is not a signal itself: a memo of it would mark all its subscribers as possibly changed after every
/// command, and charts and tables have thousands of them. Such parts are watched instead: compared after every command,
/// and notified only if they have changed.
#[derive(Clone, Copy)]
struct ModelCell {
    model: StoredValue<Model>,
    /// Notified after every command.
    any: RwSignal<()>,
    watched: StoredValue<Vec<Watched>, LocalStorage>,
}

/// A part whose signal is notified only on changes.
struct Watched {
    changed: RwSignal<()>,
    /// Compares with the last value; returns whether it has changed.
    has_changed: Box<dyn FnMut(&Model) -> bool>,
}

impl ModelCell {
    fn new(model: Model) -> ModelCell {
        ModelCell {
            model: StoredValue::new(model),
            any: RwSignal::new(()),
            watched: StoredValue::new_local(Vec::new()),
        }
    }

    /// Applies a change to the model and notifies the changed parts.
    fn change<T>(self, how: impl FnOnce(&mut Model) -> T) -> Option<T> {
        let made = self.model.try_update_value(how);
        self.notify();
        made
    }

    fn notify(self) {
        let mut changed = vec![self.any];
        self.model.with_value(|model| {
            self.watched.update_value(|watched| {
                changed.extend(watched.iter_mut().filter_map(|f| (f.has_changed)(model).then_some(f.changed)));
            });
        });
        changed.iter().for_each(RwSignal::notify);
    }

    /// A part with few subscribers.
    fn part<T: Send + Sync + 'static>(
        self,
        part: impl Fn(&Model) -> T + Send + Sync + 'static,
        is_other: fn(Option<&T>, Option<&T>) -> bool,
    ) -> Memo<T> {
        Memo::new_with_compare(
            move |_| {
                self.any.track();
                self.model.with_value(&part)
            },
            is_other,
        )
    }

    /// A part with many subscribers.
    fn watched<T: Send + Sync + 'static>(
        self,
        part: fn(&Model) -> T,
        is_other: fn(Option<&T>, Option<&T>) -> bool,
    ) -> Memo<T> {
        let changed = RwSignal::new(());
        let mut last = self.model.with_value(part);
        let has_changed = Box::new(move |model: &Model| {
            let now = part(model);
            let is_other = is_other(Some(&last), Some(&now));
            last = now;
            is_other
        });
        self.watched.update_value(|watched| watched.push(Watched { changed, has_changed }));
        Memo::new_with_compare(
            move |_| {
                changed.track();
                self.model.with_value(part)
            },
            is_other,
        )
    }
}

fn differ<T: PartialEq>(a: Option<&T>, b: Option<&T>) -> bool {
    a != b
}

/// Whether two values are distinct allocations, even if they are equal.
fn is_another<T>(a: Option<&Arc<T>>, b: Option<&Arc<T>>) -> bool {
    a.map(Arc::as_ptr) != b.map(Arc::as_ptr)
}

/// Like [`is_another`], for optional values.
fn is_another_or_none<T>(a: Option<&Option<Arc<T>>>, b: Option<&Option<Arc<T>>>) -> bool {
    a.is_none() || is_another(a.and_then(Option::as_ref), b.and_then(Option::as_ref))
}
