//! The state as signals: parts of it as memos; takes commands and carries out their effects.

use std::sync::Arc;

use fairground::scenario::{Diagnostic, Path, Scenario, at_moment};
use fairground::words::{Selection, Terms};
use leptos::prelude::*;

use crate::address::{self, Fragment};
use crate::chart::selection::selection_closure;
use crate::effects::{Effects, Host};
use crate::engine::protocol::Frame;
use crate::engine::report::Report;
use crate::props::{
    FrameSignal, LadderSignal, OrderSignal, ResourceSignal, RulesSignal, RunSignal, SelectionSignal,
};
use crate::state::branches::alternative;
use crate::state::branches::baseline::Baseline;
use crate::state::command::Command;
use crate::state::document::opened::{Opened, Origin};
use crate::state::document::timeline_edit::{self, mistake};
use crate::state::effect::Effect;
use crate::state::layout::options::Dialog;
use crate::state::layout::view::View;
use crate::state::model::Model;
use crate::state::playback::engine_state::EngineState;
use crate::state::update::update;
use crate::{library, startup, storage};

/// The model for components. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Store {
    held: Held,
    effects: StoredValue<Effects, LocalStorage>,
    /// The document.
    pub scenario: Memo<Arc<Scenario>>,
    /// The document with the values of its queues as they are at the moment from which edits hold.
    pub edited: Memo<Arc<Scenario>>,
    /// The words of the policy that runs.
    pub terms: Memo<&'static Terms>,
    /// What is wrong with it or questionable about it.
    pub findings: Memo<Arc<Vec<Diagnostic>>>,
    /// The moment under the cursor.
    pub frame: FrameSignal,
    /// The same moment of the scenario as it is being edited, or else as it was before the last edit.
    pub alternative: FrameSignal,
    /// The run that the alternative is a moment of.
    pub alternative_run: RunSignal,
    /// What that run has to tell.
    pub alternative_report: Memo<Option<Arc<Report>>>,
    /// How it was before the last edit.
    pub before: Memo<Option<Arc<Baseline>>>,
    /// What was changed, if the alternative is how it was before.
    pub changed: Memo<Option<String>>,
    /// The run in short.
    pub run: RunSignal,
    /// What is selected.
    pub selection: SelectionSignal,
    /// That, and what it belongs to.
    selection_closure: Memo<Vec<Selection>>,
    /// The resource whose settings are shown: 0 cpu, 1 memory, 2 gpu.
    pub resource: ResourceSignal,
    /// What charts show: the same, or 3 for each queue's dominant resource.
    pub charted: ResourceSignal,
    /// The resource that is explained for the selected queue.
    pub explained: ResourceSignal,
    /// How the selected queue's fair share came about.
    pub ladder: LadderSignal,
    /// Where the selected queue or job stands.
    pub order: OrderSignal,
    /// The rules of the policy.
    pub rules: RulesSignal,
    /// What was told of the whole run.
    pub report: Memo<Option<Arc<Report>>>,
    /// How it would come about in the scenario as it is being edited, or came about before the last edit.
    pub alternative_ladder: LadderSignal,
    /// What the page looks like.
    pub view: Memo<View>,
    /// What the engine does.
    pub engine: Memo<EngineState>,
    /// The line for people who listen.
    pub announcement: RwSignal<String>,
    /// Whether fingers move the page: they point at nothing before they take hold.
    pub touched: RwSignal<bool>,
}

impl Store {
    /// Puts signals around a model.
    pub fn new(model: Model) -> Store {
        let held = Held::new(model);
        let scenario = held.followed(|m| m.scenario.clone(), is_another);
        let frame = held.followed(|m| m.shown.clone().or(m.frame.clone()), is_another_or_none);
        let selection = held.followed(|m| m.selection.clone(), differ);
        Store {
            held,
            effects: StoredValue::new_local(Effects::default()),
            scenario,
            terms: Memo::new(move |_| scenario.with(|s| Terms::of(&s.policy))),
            edited: held.followed(
                |m| match timeline_edit::moment(m) {
                    Some((_, time_ms)) => at_moment(&m.scenario, time_ms),
                    None => m.scenario.clone(),
                },
                is_another,
            ),
            findings: held.part(|m| m.findings.clone(), is_another),
            frame: frame.into(),
            alternative: held.followed(alternative::moment, is_another_or_none).into(),
            alternative_run: held.part(alternative::run, is_another_or_none).into(),
            alternative_report: held.part(alternative::report, is_another_or_none),
            before: held.part(|m| m.baseline.clone(), is_another_or_none),
            changed: held.part(alternative::changed, differ),
            run: held.part(|m| m.run.clone(), is_another_or_none).into(),
            selection: selection.into(),
            selection_closure: Memo::new(move |_| {
                selection_closure(frame.get().as_deref(), selection.get().as_ref())
            }),
            resource: held.followed(Model::settings_resource, differ).into(),
            charted: held.followed(|m| m.resource, differ).into(),
            explained: held.part(Model::explained_resource, differ).into(),
            ladder: held.part(|m| m.ladder.clone(), is_another_or_none).into(),
            order: held.part(|m| m.order.clone(), is_another_or_none).into(),
            rules: held.part(|m| m.rules.clone(), is_another_or_none).into(),
            alternative_ladder: held.part(alternative::ladder, is_another_or_none).into(),
            report: held.part(|m| m.report.clone(), is_another_or_none),
            view: held.followed(|m| m.view.clone(), differ),
            engine: held.part(|m| m.engine.clone(), differ),
            announcement: RwSignal::new(String::new()),
            touched: RwSignal::new(false),
        }
    }

    /// The store of the page.
    pub fn get() -> Store {
        expect_context::<Store>()
    }

    /// A part of the model that changes only when its value does.
    pub fn part<T: PartialEq + Send + Sync + 'static>(self, part: fn(&Model) -> T) -> Memo<T> {
        self.held.part(part, differ)
    }

    /// A text made of the model by a look that knows more than the model.
    pub fn text(self, part: impl Fn(&Model) -> String + Send + Sync + 'static) -> Memo<String> {
        let part: Box<dyn Fn(&Model) -> String + Send + Sync> = Box::new(part);
        self.held.part(part, differ)
    }

    /// Whether a thing is what is selected, or what that belongs to.
    pub fn is_in_selection(self, at: &Selection) -> bool {
        self.selection_closure.with(|selection_closure| selection_closure.contains(at))
    }

    /// What the other run tells, its moment, and the change that it was before if it is not one that would come.
    pub fn reported_alternative(self) -> Option<(Arc<Report>, Arc<Frame>, Option<String>)> {
        Some((self.alternative_report.get()?, self.alternative.get()?, self.changed.get()))
    }

    /// A look at the model as it is now, without following it.
    pub fn now<T>(self, look: impl FnOnce(&Model) -> T) -> T {
        self.held.model.with_value(look)
    }

    /// Opens what the fragment of an address leads to: of that in the address bar, or of one that was brought here.
    pub fn follow(self, fragment: String, is_in_bar: bool) {
        match address::read(&fragment) {
            Fragment::Document(opened) => {
                self.effects.update_value(|effects| {
                    effects.is_there = is_in_bar;
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
            Fragment::Reset | Fragment::Empty => {}
        }
    }

    /// Opens again what an entry of the browser's history says, to which the visitor went back or forth.
    pub fn go_back(self, entry: String, fragment: String) {
        self.effects.update_value(|effects| effects.set_address(fragment.clone()));
        storage::set_own_address(&fragment);
        // What was begun here is kept before the other one is read: it may be the same draft.
        self.keep();
        if let Some(opened) = startup::returned(&entry, &fragment) {
            self.effects.update_value(|effects| effects.is_there = true);
            self.dispatch(Command::Open(opened));
        }
    }

    /// Forgets what is kept on this device and opens the start scenario.
    pub fn start_over(self) {
        self.effects.update_value(Effects::forget);
        storage::wipe();
        address::clear_bar();
        self.open_in_place(Opened::new(library::start(), Origin::Start));
    }

    /// Opens a document of which the browser's history has an entry already.
    fn open_in_place(self, opened: Opened) {
        self.effects.update_value(|effects| effects.is_there = true);
        self.dispatch(Command::Open(Box::new(opened)));
    }

    /// Changes the model as the command says and carries out what follows.
    pub fn dispatch(self, command: Command) {
        let opens = matches!(command, Command::Open(_) | Command::TakeImport { .. });
        let before = opens.then(|| self.now(|m| m.scenario.clone()));
        if opens {
            self.effects.update_value(|effects| effects.leave(self));
        }
        let effects = self.held.change(|model| {
            model.clock_ms = js_sys::Date::now() as u64;
            update(model, command)
        });
        self.carry_out(effects.unwrap_or_default());
        if before.is_some_and(|before| self.now(|m| !Arc::ptr_eq(&before, &m.scenario))) {
            self.effects.update_value(|effects| effects.arrive(self));
        }
        self.hold();
    }

    /// Reports which draft is open.
    fn hold(self) {
        if self.now(|m| m.view.embed.is_some()) {
            return;
        }
        let is_held = self.now(|m| self.effects.with_value(|effects| effects.held() == m.draft.as_ref()));
        if !is_held {
            let draft = self.now(|m| m.draft.clone());
            self.effects.update_value(|effects| effects.hold(self, draft));
        }
    }

    /// Asks the engine for the moment that the page opens with.
    pub fn begin_run(self) {
        self.carry_out(self.held.change(crate::state::update::begin).unwrap_or_default());
        self.hold();
    }

    /// Keeps what is not kept yet.
    pub fn keep(self) {
        self.effects.update_value(|effects| effects.save_now(self));
    }

    fn carry_out(self, effects: Vec<Effect>) {
        for effect in effects {
            self.effects.update_value(|effects| effects.run(self, effect));
        }
    }

    /// Why a text cannot be the value of a place, if it cannot.
    pub fn mistake(self, at: &Path, text: &str) -> Option<String> {
        self.now(|model| mistake(model, at, text))
    }
}

impl Host for Store {
    fn dispatch(self, command: Command) {
        Store::dispatch(self, command);
    }
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

/// The model, and how its parts become signals.
///
/// It is no signal itself: with a memo on it, all that hangs on the memo asks anew after every command, and on what charts
/// and tables show hang thousands of effects. Such parts are followed instead: looked at after every command, and told
/// only when they changed.
#[derive(Clone, Copy)]
struct Held {
    model: StoredValue<Model>,
    /// Notified at every command.
    any: RwSignal<()>,
    followed: StoredValue<Vec<Followed>, LocalStorage>,
}

/// A part that is followed.
struct Followed {
    changed: RwSignal<()>,
    /// Whether it changed since the last look.
    look: Box<dyn FnMut(&Model) -> bool>,
}

impl Held {
    fn new(model: Model) -> Held {
        Held {
            model: StoredValue::new(model),
            any: RwSignal::new(()),
            followed: StoredValue::new_local(Vec::new()),
        }
    }

    /// Changes the model, and tells whose parts did.
    fn change<T>(self, how: impl FnOnce(&mut Model) -> T) -> Option<T> {
        let made = self.model.try_update_value(how);
        self.notify();
        made
    }

    fn notify(self) {
        let mut changed = vec![self.any];
        self.model.with_value(|model| {
            self.followed.update_value(|followed| {
                changed.extend(followed.iter_mut().filter_map(|f| (f.look)(model).then_some(f.changed)));
            });
        });
        changed.iter().for_each(RwSignal::notify);
    }

    /// A part on which little hangs.
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

    /// A part on which much hangs.
    fn followed<T: Send + Sync + 'static>(
        self,
        part: fn(&Model) -> T,
        is_other: fn(Option<&T>, Option<&T>) -> bool,
    ) -> Memo<T> {
        let changed = RwSignal::new(());
        let mut last = self.model.with_value(part);
        let look = Box::new(move |model: &Model| {
            let now = part(model);
            let is_other = is_other(Some(&last), Some(&now));
            last = now;
            is_other
        });
        self.followed.update_value(|followed| followed.push(Followed { changed, look }));
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

/// Whether it is another thing, be it equal.
fn is_another<T>(a: Option<&Arc<T>>, b: Option<&Arc<T>>) -> bool {
    a.map(Arc::as_ptr) != b.map(Arc::as_ptr)
}

/// The same of what may be missing.
fn is_another_or_none<T>(a: Option<&Option<Arc<T>>>, b: Option<&Option<Arc<T>>>) -> bool {
    a.is_none() || is_another(a.and_then(Option::as_ref), b.and_then(Option::as_ref))
}
