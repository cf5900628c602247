//! The page: its regions, the live region, and global drop and paste.
use std::time::Duration;

use fairground::units::ShownResource;
use fairground::words::{Explanation, Selection};
use leptos::html;
use leptos::leptos_dom::helpers::set_timeout;
use leptos::prelude::*;

use super::bar::Bar;
use super::control::ControlSlider;
use super::divider::Divider;
use super::embed::EmbedBar;
use super::lesson_bar::LessonBar;
use super::note::{MomentNote, Note};
use super::notice_bar::{NoticeBar, Notices};
use super::peek::Peek;
use super::recorder::Recorder;
use super::sheet::SheetHandle;
use super::transport::Transport;
use super::view_tabs::{ViewTabs, shown_view, tab_id};
use crate::chart::queue_tree::are_few;
use crate::dialogs::Dialogs;
use crate::setup::Setup;
use crate::state::branches::alternative;
use crate::state::command::Command;
use crate::state::layout::embed::Embed;
use crate::state::layout::options::{NowView, Panel, Presenting};
use crate::state::layout::width_class::WidthClass;
use crate::store::Store;
use crate::views::cluster::component::ClusterView;
use crate::views::cluster::node_actions::NodeActions;
use crate::views::compared::component::Compare;
use crate::views::division::component::Division;
use crate::views::fairness::component::Fairness;
use crate::views::gantt::component::Gantt;
use crate::views::shares::component::Shares;
use crate::views::suggestions::component::Suggestions;
use crate::views::tables::component::Tables;
use crate::views::timeline::component::Timeline;
use crate::views::tree::component::QueueTree;
use crate::views::trends::component::Trends;
use crate::views::waiting::component::Waiting;
use crate::views::why::component::{Why, WhyEvidence, explained};
use crate::widgets::button::IconButton;
use crate::widgets::empty::{Lack, empty, empty_below};
use crate::widgets::icons::IconKind;

/// The page.
#[component]
pub fn App() -> impl IntoView {
    let store = Store::get();
    let view = store.view;
    let panel = Memo::new(move |_| view.with(|v| v.panel));
    let shows = move |this: Panel| move || panel.get() == this;
    let folded = Memo::new(move |_| view.with(|v| v.setup_folded));
    let presented = Memo::new(move |_| view.with(|v| v.presenting != Presenting::Off));
    let time_folded = Memo::new(move |_| view.with(|v| v.time_folded));
    let sized = Memo::new(move |_| view.with(|v| v.setup_width > 0));
    let why_open = Memo::new(move |_| view.with(|v| v.why_open));
    // Classes instead of a `:has()` selector, which would restyle the whole page at every step.
    let few = Memo::new(move |_| {
        let folded: Vec<String> = view.with(|v| v.folded.iter().cloned().collect());
        store.frame.with(|frame| frame.as_ref().is_none_or(|frame| are_few(&frame.queues, &folded)))
    });
    let waits = Memo::new(move |_| store.frame.with(Option::is_none));
    let in_lesson = store.part(|m| m.lesson.is_some());
    let picked = store.part(|m| m.selection.is_some() && !m.auto_selected);
    let stale = store.part(|m| m.moment.is_stale);
    let awaits_alternative = store.part(alternative::is_awaited);
    let announcement = store.announcement;
    Effect::new(move |_| {
        let title = store.scenario.with(|s| s.name.clone());
        document().set_title(&if title.is_empty() { "Fairground".into() } else { format!("{title} · Fairground") });
    });
    let pair = Pair::default();
    let embed = store.now(|m| m.view.embed);
    let bare = move || embed.is_some() || presented.get() && few.get();
    let explanation = explained(store);
    view! {
        <div
            class="app"
            data-embed=embed.map(Embed::words)
            class:setup-folded=folded
            class:sized=sized
            class:time-folded=time_folded
            class:why-open=why_open
            class:few=few
            class:waits=waits
            class:in-lesson=in_lesson
            class:picked=picked
            class:bare=bare
            class:show-now=shows(Panel::Now)
            class:show-setup=shows(Panel::Setup)
            class:show-why=shows(Panel::Why)
            class:show-time=shows(Panel::Time)
        >
            <button type="button" class="skip" on:click=move |_| crate::widgets::focus_id("step")>
                "Skip to playback controls"
            </button>
            {match embed {
                Some(_) => view! { <EmbedBar /> }.into_any(),
                None => view! { <Bar /> }.into_any(),
            }}
            <section class="under-bar" aria-label="Hints and messages">
                <LessonBar />
                <Recorder />
                <Show when=move || !in_lesson.get()>
                    <NoticeBar explanation />
                </Show>
                <Notices />
            </section>
            <main class="main">
                <section
                    node_ref=pair.setup
                    class="panel setup"
                    aria-label="Setup"
                    data-region
                    tabindex="-1"
                    on:wheel=move |_| pair.lead(true)
                    on:pointerdown=move |_| pair.lead(true)
                    on:focusin=move |_| pair.lead(true)
                    on:scroll=move |_| pair.follow(store, true)
                >
                    <Rail panel=Panel::Setup name="Setup" icon=IconKind::Right />
                    <Setup />
                </section>
                <Divider />
                <section
                    node_ref=pair.now
                    class="panel now-panel"
                    on:wheel=move |_| pair.lead(false)
                    on:pointerdown=move |_| pair.lead(false)
                    on:focusin=move |_| pair.lead(false)
                    on:scroll=move |_| pair.follow(store, false)
                    class:stale=stale
                    class:awaits-ghost=awaits_alternative
                    aria-label="Now"
                    aria-busy=move || stale.get().to_string()
                    data-cycle=move || store.frame.with(|f| f.as_ref().map(|f| f.cycle.to_string()))
                    data-digest=move || store.frame.with(|f| f.as_ref().map(|f| f.digest.clone()))
                    data-region
                    tabindex="-1"
                >
                    <Now />
                </section>
                <Side />
                <aside id="why" class="panel why-panel" aria-label="Why" data-region tabindex="-1">
                    <Rail panel=Panel::Why name="Why" icon=IconKind::Left />
                    <WhyPanel explanation />
                </aside>
            </main>
            <footer class="dock" data-region tabindex="-1" aria-label="Time">
                <Peek explanation />
                <Transport />
                <div class="tlwrap">
                    <TimePanel />
                </div>
                <PhoneBar />
            </footer>
            <div class="unseen" role="status" aria-live="polite">{announcement}</div>
            <Dialogs />
        </div>
    }
}

/// Synchronises scrolling of the queue tree and the bars: the panel scrolled by the user leads.
#[derive(Clone, Copy, Default)]
struct Pair {
    setup: NodeRef<html::Section>,
    now: NodeRef<html::Section>,
    setup_leads: StoredValue<bool>,
}

impl Pair {
    fn lead(self, setup: bool) {
        self.setup_leads.set_value(setup);
    }

    fn follow(self, store: Store, setup: bool) {
        let are_lines_shared = store.view.with_untracked(|v| v.has_tree() && !v.setup_folded);
        let Some((left, right)) = self.setup.get_untracked().zip(self.now.get_untracked()) else { return };
        if are_lines_shared && self.setup_leads.get_value() == setup {
            let (from, to) = if setup { (left, right) } else { (right, left) };
            to.set_scroll_top(from.scroll_top());
        }
    }
}

/// A folded panel: its name, and a button that opens it.
#[component]
fn Rail(panel: Panel, name: &'static str, icon: IconKind) -> impl IntoView {
    let store = Store::get();
    view! {
        <div class="rail">
            <IconButton icon label=format!("Open {name}") on_press=store.press(Command::Fold(panel, false)) />
            <span aria-hidden="true">{name}</span>
        </div>
    }
}

/// NOW: the charts of the moment.
#[component]
fn Now() -> impl IntoView {
    let store = Store::get();
    let resource = store.charted;
    let choose = move |value: String| {
        if let Ok(number) = value.parse::<u8>() {
            store.dispatch(Command::Resource(number.into()));
        }
    };
    let named =
        Memo::new(move |_| store.frame.with(|frame| frame.as_ref().map_or(Vec::new(), |frame| frame.named.clone())));
    let option = move |of: ShownResource, name: String| {
        let value = u8::from(of).to_string();
        view! { <option value=value prop:selected=move || resource.get() == of>{name}</option> }
    };
    let own = [
        (ShownResource::GPU, "GPU"),
        (ShownResource::CPU, "CPU"),
        (ShownResource::MEMORY, "Memory"),
        (ShownResource::Dominant, "Dominant share"),
    ]
    .map(|(of, name)| option(of, name.to_string()));
    let options = view! {
        {own}
        {move || named.get().into_iter().enumerate().map(|(n, name)| option(ShownResource::named(n), name)).collect_view()}
    };
    let shown = shown_view(store);
    let lack = Memo::new(move |_| store.scenario.with(|s| Lack::of(s)));
    let has_nodes = Memo::new(move |_| store.scenario.with(|s| !s.nodes.is_empty()));
    view! {
        <div class="tabs">
            <ViewTabs shown />
            <span class="unit" hidden=move || shown.get() == NowView::Compare>
                <select
                    class="resource"
                    aria-label="Resource of all charts"
                    on:change=move |event| choose(event_target_value(&event))
                >
                    {options}
                </select>
            </span>
        </div>
        <div id="now-body" role="tabpanel" aria-labelledby=move || tab_id(shown.get())>
            <ControlSlider />
            {move || match (shown.get(), lack.get()) {
                (_, Some(Lack::Queues)) => empty(Lack::Queues),
                (
                    NowView::ShareUsage
                    | NowView::Priorities
                    | NowView::Gantt
                    | NowView::Fairness
                    | NowView::Trends
                    | NowView::Compare,
                    Some(lack),
                ) => empty(lack),
                (NowView::Shares, _) => view! { <Shares /> }.into_any(),
                (other, _) => view_of(other),
            }}
            {empty_below(move || {
                let is_below = matches!(shown.get(), NowView::Shares | NowView::Division | NowView::Tree);
                lack.get().filter(|lack| is_below && *lack != Lack::Queues)
            })}
        </div>
        {move || match has_nodes.get() {
            _ if shown.get() == NowView::Compare => ().into_any(),
            true => view! {
                <Waiting />
                <ClusterView />
            }
            .into_any(),
            false if lack.get().is_none() => empty(Lack::Nodes),
            false => ().into_any(),
        }}
    }
}

/// Views of NOW other than the initial one.
fn view_of(view: NowView) -> AnyView {
    match view {
        NowView::Shares => ().into_any(),
        NowView::Division => view! { <Division /> }.into_any(),
        NowView::ShareUsage => view! { <Tables name="Share usage" /> }.into_any(),
        NowView::Priorities => view! { <Tables name="Priorities" /> }.into_any(),
        NowView::Tree => view! { <QueueTree /> }.into_any(),
        NowView::Gantt => view! { <Gantt /> }.into_any(),
        NowView::Fairness => view! { <Fairness /> }.into_any(),
        NowView::Trends => view! { <Trends /> }.into_any(),
        NowView::Compare => view! { <Compare /> }.into_any(),
    }
}

/// Division and Tree beside the other views, if there is space.
#[component]
fn Side() -> impl IntoView {
    let store = Store::get();
    let is_wide = Memo::new(move |_| store.view.with(|v| v.width_class == WidthClass::Wide));
    move || match is_wide.get() {
        true => view! {
            <section class="panel side-panel" aria-label="Division and tree" data-region tabindex="-1">
                <SideViews />
            </section>
        }
        .into_any(),
        false => ().into_any(),
    }
}

/// The views that NOW does not show.
#[component]
fn SideViews() -> impl IntoView {
    let store = Store::get();
    let shown = shown_view(store);
    view! {
        {move || (shown.get() != NowView::Tree).then(|| view! { <QueueTree /> })}
        {move || (shown.get() != NowView::Division).then(|| view! { <Division /> })}
    }
}

#[component]
fn WhyPanel(explanation: Memo<Option<Explanation>>) -> impl IntoView {
    let store = Store::get();
    let is_node = store.part(|m| matches!(m.selection, Some(Selection::Node(_))));
    view! {
        <div class="tabs">
            <h2 class="panel-title">"Why"</h2>
            <SheetHandle />
            <span class="grow"></span>
            <IconButton
                icon=IconKind::Close
                label="Close explanation"
                class="close-why"
                on_press=store.press(Command::Why(false))
            />
        </div>
        <Why explanation />
        <Suggestions />
        <WhyEvidence explanation />
        {move || is_node.get().then(|| view! { <NodeActions /> })}
        <Note />
        <MomentNote />
    }
}

/// The navigation bar of narrow screens.
#[component]
fn PhoneBar() -> impl IntoView {
    let store = Store::get();
    let panel = Memo::new(move |_| store.view.with(|v| v.panel));
    let buttons = [(Panel::Now, "Now"), (Panel::Setup, "Setup"), (Panel::Why, "Why"), (Panel::Time, "Time")];
    let buttons = buttons.map(|(this, name)| {
        view! {
            <button
                type="button"
                aria-pressed=move || (panel.get() == this).to_string()
                on:click=move |_| store.dispatch(Command::Panel(this))
            >
                {name}
            </button>
        }
    });
    view! { <nav class="phonebar" aria-label="Panels">{buttons}</nav> }
}

/// The timeline panel.
#[component]
fn TimePanel() -> impl IntoView {
    let store = Store::get();
    let has_jobs = Memo::new(move |_| store.scenario.with(|s| !s.jobs.is_empty()));
    // During playback, the charts of the moment and those of time render in successive frames.
    let is_playing = move || store.now(|m| m.playback.playing);
    let (run, frame) = (after_frame(store.run, is_playing), after_frame(store.frame, is_playing));
    move || if has_jobs.get() { view! { <Timeline run frame /> }.into_any() } else { ().into_any() }
}

/// Follows a signal; while `is_hurried`, only after the frame with its other dependents has been painted.
pub fn after_frame<T: Clone + Send + Sync + 'static>(
    of: Signal<T>,
    is_hurried: impl Fn() -> bool + Copy + Send + Sync + 'static,
) -> Signal<T> {
    let shown = RwSignal::new(of.get_untracked());
    Effect::new(move || {
        let now = of.get();
        if is_hurried() {
            // Reads the latest value, which may be newer than the trigger.
            let follow = move || {
                if let Some(now) = of.try_get_untracked() {
                    shown.set(now);
                }
            };
            request_animation_frame(move || set_timeout(follow, Duration::ZERO));
        } else {
            shown.set(now);
        }
    });
    shown.into()
}
