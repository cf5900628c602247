//! The model as signals: parts of it as memos, commands in, effects carried out at the edge.

use std::sync::Arc;

use fairground::scenario::{Diagnostic, Path, Scenario};
use leptos::prelude::*;

use crate::address::Fragment;
use crate::deeds;
use crate::edge::Edge;
use crate::engine::protocol::Frame;
use crate::engine::story::Story;
use crate::model::{
    Before, Command, Dialog, Effect, EngineState, Model, Notice, Opened, Selection, Terms, View, before,
    later, update,
};
use crate::props::{
    FrameSignal, LadderSignal, OrderSignal, ResourceSignal, RulesSignal, RunSignal, SelectionSignal,
};
use crate::storage;
use crate::view_model::pointed::pointed;

/// The model for components. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Store {
    model: RwSignal<Model>,
    edge: StoredValue<Edge, LocalStorage>,
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
    pub ghost: FrameSignal,
    /// The run that the ghost is a moment of.
    pub ghost_run: RunSignal,
    /// What that run has to tell.
    pub ghost_story: Memo<Option<Arc<Story>>>,
    /// How it was before the last edit.
    pub before: Memo<Option<Arc<Before>>>,
    /// What was changed, if the ghost is how it was before.
    pub changed: Memo<Option<String>>,
    /// The run in short.
    pub run: RunSignal,
    /// What is selected.
    pub selection: SelectionSignal,
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
    pub story: Memo<Option<Arc<Story>>>,
    /// How it would come about in the scenario as it is being edited, or came about before the last edit.
    pub ghost_ladder: LadderSignal,
    /// What the page looks like.
    pub view: Memo<View>,
    /// What the engine does.
    pub engine: Memo<EngineState>,
    /// The line for people who listen.
    pub announcement: RwSignal<String>,
}

impl Store {
    /// Puts signals around a model.
    pub fn new(model: Model) -> Store {
        let model = RwSignal::new(model);
        Store {
            model,
            edge: StoredValue::new_local(Edge::default()),
            scenario: shared(model, |m| m.scenario.clone()),
            terms: Memo::new(move |_| model.with(|m| Terms::of(&m.scenario.policy))),
            edited: shared(model, |m| match later::moment(m) {
                Some((_, time_ms)) => deeds::now()
                    .map_or_else(|| m.scenario.clone(), |deeds| (deeds.at_moment)(&m.scenario, time_ms)),
                None => m.scenario.clone(),
            }),
            findings: shared(model, |m| m.findings.clone()),
            frame: maybe_shared(model, |m| m.shown.clone().or(m.frame.clone())).into(),
            ghost: maybe_shared(model, before::ghost).into(),
            ghost_run: maybe_shared(model, before::ghost_run).into(),
            ghost_story: maybe_shared(model, before::ghost_story),
            before: maybe_shared(model, |m| m.before.clone()),
            changed: Memo::new(move |_| model.with(before::changed)),
            run: maybe_shared(model, |m| m.run.clone()).into(),
            selection: Memo::new(move |_| model.with(|m| m.selection.clone())).into(),
            resource: Memo::new(move |_| model.with(Model::settings_resource)).into(),
            charted: Memo::new(move |_| model.with(|m| m.resource)).into(),
            explained: Memo::new(move |_| model.with(Model::explained_resource)).into(),
            ladder: maybe_shared(model, |m| m.ladder.clone()).into(),
            order: maybe_shared(model, |m| m.order.clone()).into(),
            rules: maybe_shared(model, |m| m.rules.clone()).into(),
            ghost_ladder: maybe_shared(model, before::ghost_ladder).into(),
            story: maybe_shared(model, |m| m.story.clone()),
            view: Memo::new(move |_| model.with(|m| m.view.clone())),
            engine: Memo::new(move |_| model.with(|m| m.engine.clone())),
            announcement: RwSignal::new(String::new()),
        }
    }

    /// The store of the page.
    pub fn get() -> Store {
        expect_context::<Store>()
    }

    /// A part of the model that changes only when its value does.
    pub fn part<T: PartialEq + Send + Sync + 'static>(self, part: fn(&Model) -> T) -> Memo<T> {
        let model = self.model;
        Memo::new(move |_| model.with(part))
    }

    /// A text made of the model by a look that knows more than the model.
    pub fn text(self, part: impl Fn(&Model) -> String + Send + Sync + 'static) -> Memo<String> {
        let model = self.model;
        let part: Box<dyn Fn(&Model) -> String + Send + Sync> = Box::new(part);
        Memo::new(move |_| model.with(&part))
    }

    /// Whether a thing is what is selected, or what that belongs to.
    pub fn is_pointed(self, at: &Selection) -> bool {
        let frame = self.frame.get();
        self.selection.with(|selection| pointed(frame.as_deref(), selection.as_ref()).contains(at))
    }

    /// What the other run tells, its moment, and the change that it was before if it is not one that would come.
    pub fn other_story(self) -> Option<(Arc<Story>, Arc<Frame>, Option<String>)> {
        Some((self.ghost_story.get()?, self.ghost.get()?, self.changed.get()))
    }

    /// A look at the model as it is now, without following it.
    pub fn now<T>(self, look: impl FnOnce(&Model) -> T) -> T {
        self.model.with_untracked(look)
    }

    /// Does as the command says; after what was said before, if the code for that is still on its way.
    pub fn dispatch(self, command: Command) {
        match deeds::now() {
            Some(deeds) => (deeds.act)(self, command),
            None => {
                self.edge.update_value(|edge| edge.early.push(command));
                // What is shown may be from before it.
                self.model.update(|model| model.stale = true);
                self.wake();
            }
        }
    }

    /// Fetches what is needed to do something, and does what was said meanwhile.
    pub fn wake(self) {
        if deeds::now().is_some() {
            return;
        }
        leptos::task::spawn_local(async move {
            match deeds::fetched().await {
                Ok(deeds) => {
                    (deeds.begin)(self);
                    let early = self
                        .edge
                        .try_update_value(|edge| std::mem::take(&mut edge.early))
                        .unwrap_or_default();
                    for command in early {
                        (deeds.act)(self, command);
                    }
                }
                Err(_) => self.tell_not_loaded(),
            }
        });
    }

    /// Opens what the fragment of an address leads to: of that in the address bar, or of one that was brought here.
    pub fn follow(self, fragment: String, is_in_bar: bool) {
        leptos::task::spawn_local(async move {
            let Ok(deeds) = deeds::fetched().await else { return self.tell_not_loaded() };
            (deeds.begin)(self);
            match (deeds.read)(&fragment) {
                Fragment::Document(opened) => {
                    self.edge.update_value(|edge| {
                        edge.is_there = is_in_bar;
                        if is_in_bar {
                            edge.set_address(fragment);
                        }
                    });
                    self.dispatch(Command::Open(opened));
                }
                Fragment::Damaged(says) => self.dispatch(Command::Dialog(Some(Dialog::BadLink(says)))),
                Fragment::Reset if is_in_bar => (deeds.start_over)(self),
                Fragment::Reset | Fragment::Empty => {}
            }
        });
    }

    /// Opens again what an entry of the browser's history says, to which somebody went back or forth.
    pub fn go_back(self, entry: String, fragment: String) {
        self.edge.update_value(|edge| edge.set_address(fragment.clone()));
        storage::set_own_address(&fragment);
        leptos::task::spawn_local(async move {
            let Ok(deeds) = deeds::fetched().await else { return self.tell_not_loaded() };
            (deeds.begin)(self);
            // What was begun here is kept before the other one is read: it may be the same draft.
            (deeds.keep)(self);
            if let Some(opened) = (deeds.returned)(&entry, &fragment) {
                self.edge.update_value(|edge| edge.is_there = true);
                self.dispatch(Command::Open(opened));
            }
        });
    }

    /// Opens a document of which the browser's history has an entry already. Only for [`deeds`].
    pub(crate) fn open_in_place(self, opened: Opened) {
        self.edge.update_value(|edge| edge.is_there = true);
        self.act(Command::Open(Box::new(opened)));
    }

    /// Whether something was said that is not done yet, because the code for it is still on its way.
    pub fn has_early(self) -> bool {
        self.edge.with_value(|edge| !edge.early.is_empty())
    }

    fn tell_not_loaded(self) {
        self.edge.update_value(|edge| edge.early.clear());
        self.model.update(|model| {
            model.stale = false;
            let text =
                "A part of the page could not be loaded. Check the connection and try again.".to_string();
            model.notices = Arc::new(vec![Notice { id: 0, is_problem: true, text, action: None }]);
        });
    }

    /// Changes the model as the command says and carries out what follows. Only for [`deeds`].
    pub(crate) fn act(self, command: Command) {
        let opens = matches!(command, Command::Open(_) | Command::TakeImport { .. });
        let before = opens.then(|| self.now(|m| m.scenario.clone()));
        if opens {
            self.edge.update_value(|edge| edge.leave(self));
        }
        let effects = self.model.try_update(|model| {
            model.clock_ms = js_sys::Date::now() as u64;
            update(model, command)
        });
        self.carry_out(effects.unwrap_or_default());
        if before.is_some_and(|before| self.now(|m| !Arc::ptr_eq(&before, &m.scenario))) {
            self.edge.update_value(|edge| edge.arrive(self));
        }
        self.hold();
    }

    /// Tells the edge which draft is open.
    fn hold(self) {
        if self.now(|m| m.view.embed.is_some()) {
            return;
        }
        let is_held = self.now(|m| self.edge.with_value(|edge| edge.held() == m.draft.as_ref()));
        if !is_held {
            let draft = self.now(|m| m.draft.clone());
            self.edge.update_value(|edge| edge.hold(self, draft));
        }
    }

    /// Asks the engine for the moment that the page opens with; once. Only for [`deeds`].
    pub(crate) fn begin_run(self) {
        let is_first = self.edge.try_update_value(|edge| !std::mem::replace(&mut edge.has_begun, true));
        if is_first == Some(true) {
            self.carry_out(self.model.try_update(crate::model::begin).unwrap_or_default());
            self.hold();
        }
    }

    /// Keeps what is not kept yet. Only for [`deeds`].
    pub(crate) fn keep(self) {
        self.edge.update_value(|edge| edge.save_now(self));
    }

    fn carry_out(self, effects: Vec<Effect>) {
        for effect in effects {
            self.edge.update_value(|edge| edge.run(self, effect));
        }
    }

    /// The edge, to start its engine and its listeners.
    pub fn edge(self) -> StoredValue<Edge, LocalStorage> {
        self.edge
    }

    /// Why a text cannot be the value of a place, if it cannot.
    pub fn mistake(self, at: &Path, text: &str) -> Option<String> {
        // Nobody types before the code is there: the first key fetches it.
        deeds::now().and_then(|deeds| (deeds.mistake)(self, at, text))
    }
}

fn shared<T: Send + Sync + 'static>(model: RwSignal<Model>, part: fn(&Model) -> Arc<T>) -> Memo<Arc<T>> {
    Memo::new_with_compare(
        move |_| model.with(part),
        |a, b| match (a, b) {
            (Some(a), Some(b)) => !Arc::ptr_eq(a, b),
            _ => true,
        },
    )
}

fn maybe_shared<T: Send + Sync + 'static>(
    model: RwSignal<Model>,
    part: fn(&Model) -> Option<Arc<T>>,
) -> Memo<Option<Arc<T>>> {
    Memo::new_with_compare(
        move |_| model.with(part),
        |a, b| match (a.and_then(Option::as_ref), b.and_then(Option::as_ref)) {
            (Some(a), Some(b)) => !Arc::ptr_eq(a, b),
            (None, None) => a.is_none() || b.is_none(),
            _ => true,
        },
    )
}
