//! The transport: steps, play, cycle field, scrubbing, events, progress of long runs.

use std::time::Duration;

use fairground::words::number::time as clock;
use leptos::leptos_dom::helpers::{TimeoutHandle, set_timeout_with_handle};
use leptos::prelude::{expect_context, *};

use crate::chart::alternative;
use crate::chart::marks::{self, Mark};
use crate::dialogs::palette::view::stops;
use crate::shell::present::Present;
use crate::shell::runs::Runs;
use crate::state::command::Command;
use crate::state::document::Origin;
use crate::state::engine_state::{EngineState, Progress, Work};
use crate::state::layout::options::{Dialog, Panel};
use crate::state::playback::{SPEEDS, decision_step};
use crate::store::Store;
use crate::views::waiting::view::submitted;
use crate::widgets::button::{CommandButton, IconButton};
use crate::widgets::icons::{Icon, IconKind};
use crate::widgets::menu::{MenuButton, MenuItem};
use crate::widgets::picture::icon;
use crate::widgets::{NO_CYCLE, cycle_number, key_name, on_leave};
use crate::words;

/// Reason why no step is possible at the end.
const NO_MORE: &str = "Nothing more will happen";

/// The transport.
#[component]
pub fn Transport() -> impl IntoView {
    let store = Store::get();
    let slow = Slow::new(store);
    provide_context(slow);
    let cursor = slow.cycle;
    let playing = store.part(|m| m.playback.playing);
    let time_folded = store.part(|m| m.view.time_folded);
    let at_end =
        Memo::new(move |_| store.frame.with(|f| f.as_ref().is_some_and(|f| f.quiet && f.cycle == cursor.get())));
    // Within a cycle, a step leads to its end.
    let is_inside = store.part(|m| m.playback.decision.is_some());
    let comes = Memo::new(move |_| {
        let frame = store.frame.get().filter(|frame| frame.cycle == cursor.get() && !is_inside.get())?;
        store.scenario.with(|scenario| submitted(scenario, &frame))
    });
    let time = move || store.frame.with(|f| f.as_ref().map_or(0, |f| f.time_ms));
    let last = move || store.run.with(|r| r.as_ref().map_or(0, |r| r.last_cycle));
    let complete = move || store.run.with(|r| r.as_ref().is_some_and(|r| r.complete));
    let pulses = store.part(|m| {
        m.document.origin == Origin::Start && m.playback.cursor == 0 && m.view.chips && !m.document.is_changed
    });
    let play = Callback::new(move |()| {
        let on = !playing.get_untracked();
        store.dispatch(Command::Play(on));
    });
    let decision = store.text(|m| match (m.playback.decision, &m.moment.frame) {
        (Some(at), Some(frame)) => {
            let actions = decision_step::actions(frame);
            let name = match actions.iter().find(|action| at <= action.1) {
                Some((name, end)) if at == *end && !name.is_empty() => {
                    format!(" · after {}", words::action(name))
                }
                Some((name, _)) if at > 0 && !name.is_empty() => format!(" · in {}", words::action(name)),
                _ => String::new(),
            };
            format!("{name} · {at} of {} decisions", decision_step::n_decisions(frame))
        }
        _ => String::new(),
    });
    let speed = store.part(|m| m.playback.speed);
    let playback = move |()| {
        let stops = store.now(stops);
        let inside = |label: &str, back| MenuItem::new(label, Command::StepDecision { back });
        let action = |label: &str, back| MenuItem::new(label, Command::Action { back });
        let stops = stops.into_iter().map(|(label, stop)| MenuItem::new(label, Command::RunTo(stop)));
        let of_now = speed.get_untracked();
        let speeds = SPEEDS.iter().enumerate().map(|(at, cycles)| {
            let change = Command::Speed(at as i32 - of_now as i32);
            MenuItem::new(format!("Speed {cycles}×"), change).choice(at == of_now)
        });
        let others = [
            MenuItem::new("Go to a cycle…", Command::Dialog(Some(Dialog::GoTo))).key("G"),
            MenuItem::new("Previous event", Command::NextEvent { back: true }).key("["),
            inside("Next decision", false).key("Shift+→"),
            inside("Previous decision", true).key("Shift+←"),
            action("Next action", false).key("A"),
            action("Previous action", true).key("Shift+A"),
        ];
        stops.chain(others).chain(speeds).collect()
    };
    view! {
        <div class="transport">
            <IconButton
                icon=IconKind::Back
                label="Step back"
                key="←"
                class="framed"
                disabled=Signal::derive(move || cursor.get() == 0)
                on_press=store.press(Command::Back)
            />
            <button
                type="button"
                id="step"
                class="btn primary"
                class:pulse=pulses
                aria-label="Step"
                title=move || match comes.get() {
                    _ if at_end.get() => NO_MORE.to_string(),
                    Some(says) => format!("Step (→): {says}"),
                    None => "Step (→)".to_string(),
                }
                aria-disabled=move || at_end.get().then_some("true")
                on:click=move |_| store.dispatch(Command::Step)
            >
                "Step"
                <span class="kbd hide" aria-hidden="true">"→"</span>
                {move || comes.get().map(|says| view! { <span class="comes hide" aria-hidden="true">{says}</span> })}
            </button>
            <IconButton
                icon=Signal::derive(move || if playing.get() { IconKind::Pause } else { IconKind::Play })
                label=Signal::derive(move || if playing.get() { "Pause".to_string() } else { "Play".to_string() })
                key="Space"
                class="framed"
                disabled=Signal::derive(move || at_end.get() && !playing.get())
                on_press=play
            />
            <MenuButton label="Run until, speed" class="btn quiet icon hide" items=Callback::new(playback)>
                <Icon kind=IconKind::Down />
            </MenuButton>
            <span class="now">
                <CycleField />
                <Show when=complete>
                    <span>{move || format!(" of {}", last())}</span>
                </Show>
                <span class="dim">" · " {move || clock(time())}</span>
                <span class="decision">{decision}</span>
                <Show when=move || at_end.get()>
                    <span class="dim hide">" · " {NO_MORE}</span>
                </Show>
            </span>
            <button
                type="button"
                class="btn quiet next-event"
                aria-label="Next event"
                on:click=move |_| store.dispatch(Command::NextEvent { back: false })
            >
                <Icon kind=IconKind::Next />
                <span class="hide">"Next event"</span>
                <span class="kbd hide" aria-hidden="true">{key_name(store, "]")}</span>
            </button>
            <span class="grow"></span>
            <Since />
            <Runs />
            <Status />
            <Present />
            <IconButton
                icon=Signal::derive(move || if time_folded.get() { IconKind::Up } else { IconKind::Down })
                label=Signal::derive(move || {
                    if time_folded.get() { "Open the timeline" } else { "Collapse the timeline" }.to_string()
                })
                class="fold fold-time"
                on_press=Callback::new(move |()| {
                    store.dispatch(Command::Fold(Panel::Time, !time_folded.get_untracked()));
                })
            />
        </div>
    }
}

/// The line about an edit or a kept run.
#[derive(Clone, Debug, PartialEq)]
struct SinceLine {
    /// The edit is applied; charts compare with the baseline before it.
    was: bool,
    /// Charts compare with a kept run, which the bar of runs shows if there is space.
    is_kept: bool,
    /// Words before the emphasised part.
    lead: &'static str,
    /// The emphasised part.
    says: String,
    /// Accessible name, and full text as a tooltip.
    title: [String; 2],
}

fn since(store: Store) -> Option<SinceLine> {
    let (frame, run) = (store.frame.get()?, store.run.get()?);
    if store.changed.get().is_none() && store.alternative.with(Option::is_some) {
        let says = alternative::as_edited(&run, &*store.alternative_run.get()?, store.terms.get())?;
        let title = "Compare with this run".to_string();
        return Some(SinceLine {
            was: false,
            is_kept: false,
            lead: "as edited: ",
            says,
            title: [title.clone(), title],
        });
    }
    let before = store.before.get()?;
    let title = alternative::says(&before, &frame, &run, store.resource.get());
    let is_kept = store.now(|m| m.branches.kept.is_comparing());
    let lead = if is_kept { "compared with " } else { "before: " };
    let title = [format!("Compare with {}", if is_kept { &before.changed } else { "before the edit" }), title];
    Some(SinceLine { was: true, is_kept, lead, says: before.changed.clone(), title })
}

/// The effect of an edit in progress; else the change since the baseline of the charts, with a button that hides it.
#[component]
fn Since() -> impl IntoView {
    let store = Store::get();
    let since = Memo::new(move |_| since(store));
    move || {
        since.get().map(|SinceLine { was, is_kept, lead, says, title: [label, title] }| {
            let close = move || {
                view! {
                    <IconButton
                        icon=IconKind::Close
                        label="Hide the comparison"
                        key="Esc"
                        on_press=store.press(Command::ForgetBaseline)
                    />
                }
            };
            view! {
                <span class="since" class:only-phone=is_kept role="group" aria-label=label title=title>
                    {icon(marks::key(Mark::of_alternative(was)))}
                    <span>{lead} <b>{says}</b></span>
                    {was.then(close)}
                </span>
            }
        })
    }
}

/// The cycle as an editable field.
#[component]
fn CycleField() -> impl IntoView {
    let store = Store::get();
    let cursor = expect_context::<Slow>().cycle;
    let typed = RwSignal::new(None::<String>);
    let shown = move || typed.get().unwrap_or_else(|| cursor.get().to_string());
    let wrong = RwSignal::new(false);
    let go = move || {
        let Some(text) = typed.get_untracked() else { return };
        match cycle_number(&text) {
            Some(cycle) => store.dispatch(Command::GoTo(cycle)),
            None => wrong.set(true),
        }
        // Invalid input restores the previous cycle.
        typed.set(None);
    };
    view! {
        <label class="cycle">
            <b>"Cycle"</b>
            <input
                id="cycle"
                type="text"
                inputmode="numeric"
                autocomplete="off"
                maxlength="9"
                title="Go to a cycle (G)"
                aria-invalid=move || wrong.get().then_some("true")
                prop:value=shown
                on:input=move |event| {
                    wrong.set(false);
                    typed.set(Some(event_target_value(&event)));
                }
                on:keydown=move |event| match event.key().as_str() {
                    "Enter" => go(),
                    "Escape" => {
                        wrong.set(false);
                        typed.set(None);
                    }
                    _ => {}
                }
                on:blur=on_leave(move |_| go())
            />
            {move || wrong.get().then(|| view! { <span class="mistake" role="alert">{NO_CYCLE}</span> })}
        </label>
    }
}

/// State of a cycle that takes long to compute.
#[derive(Clone, Copy)]
struct Slow {
    /// The engine has been busy for a while without reporting progress.
    is_slow: RwSignal<bool>,
    /// The requested cycle.
    wanted: Memo<u32>,
    /// The displayed cycle: the requested one, or that of the charts while the computation is slow.
    cycle: Memo<u32>,
}

/// Time from which a computation counts as slow.
const SLOW_AFTER: Duration = Duration::from_millis(500);

impl Slow {
    fn new(store: Store) -> Slow {
        let is_slow = RwSignal::new(false);
        let timer = StoredValue::new_local(None::<TimeoutHandle>);
        let is_busy =
            Memo::new(move |_| store.engine.with(|state| matches!(state, EngineState::Working(Work::Cycle(_)))));
        Effect::new(move |_| {
            if let Some(timer) = timer.try_update_value(Option::take).flatten() {
                timer.clear();
            }
            is_slow.set(false);
            if is_busy.get() {
                let later = set_timeout_with_handle(move || is_slow.set(true), SLOW_AFTER);
                timer.set_value(later.ok());
            }
        });
        let wanted = store.part(|m| m.playback.cursor);
        let cycle = Memo::new(move |_| {
            let shown = store.frame.with(|frame| frame.as_ref().map(|frame| frame.cycle));
            shown.filter(|_| is_slow.get()).unwrap_or_else(|| wanted.get())
        });
        Slow { is_slow, wanted, cycle }
    }
}

/// A progress bar with a text and the button that ends the work.
fn working(
    label: &'static str,
    text: impl Fn() -> String + Send + 'static,
    end: &'static str,
    work: Memo<Option<Work>>,
) -> impl IntoView {
    let part = move || work.get().and_then(Work::part).map(|part| part.to_string());
    view! {
        <span class="progress">
            <progress max="1" value=part aria-label=label></progress>
            <span>{text}</span>
            <CommandButton class="btn" command=Command::Cancel>{end}</CommandButton>
        </span>
    }
}

/// Status of the engine while it is slow or has failed.
#[component]
fn Status() -> impl IntoView {
    let store = Store::get();
    let slow = expect_context::<Slow>();
    let work = Memo::new(move |_| {
        store.engine.with(|state| if let EngineState::Working(work) = state { Some(*work) } else { None })
    });
    // What changes with the progress stays out of this, so that buttons keep the focus.
    let status = Memo::new(move |_| match store.engine.get() {
        EngineState::Working(Work::Cycle(_)) if !slow.is_slow.get() => EngineState::Idle,
        EngineState::Working(Work::Cycle(_)) => EngineState::Working(Work::Cycle(None)),
        EngineState::Working(Work::Run(_)) => EngineState::Working(Work::Run(Progress::default())),
        state => state,
    });
    let shown = move || match status.get() {
        EngineState::Idle => ().into_any(),
        EngineState::Starting => view! { <span class="dim">"Starting the engine"</span> }.into_any(),
        EngineState::Working(Work::Cycle(_)) => {
            let text = move || format!("Computing cycle {}", slow.wanted.get());
            working("Computing", text, "Cancel", work).into_any()
        }
        EngineState::Working(Work::Run(_)) => {
            let text = move || match work.get() {
                Some(Work::Run(progress)) => format!("Cycle {} · {}", progress.cycle, clock(progress.time_ms)),
                _ => String::new(),
            };
            working("Running", text, "Stop here", work).into_any()
        }
        EngineState::Refused(_) => view! {
            <span class="state-line">
                <Icon kind=IconKind::Problem />
                "Fix the errors to run this scenario."
            </span>
        }
        .into_any(),
        EngineState::Dead(cycle) | EngineState::Died(cycle) => view! {
            <span class="state-line">
                <Icon kind=IconKind::Problem />
                {format!("The engine stopped at cycle {cycle}.")}
                <CommandButton class="btn" command=Command::GoTo(0)>"Start over"</CommandButton>
            </span>
        }
        .into_any(),
    };
    view! { <span class="status">{shown}</span> }
}
