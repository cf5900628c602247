//! The value that is tried out: a slider above the chart, for a setting that a link names or that the visitor chose.

use std::time::Duration;

use fairground::scenario::Path;
use leptos::leptos_dom::helpers::set_timeout;
use leptos::prelude::*;

use crate::chart::alternative;
use crate::state::branches::alternative::is_awaited;
use crate::state::command::Command;
use crate::state::document::{self, edit};
use crate::store::Store;
use crate::widgets::button::IconButton;
use crate::widgets::icons::IconKind;

/// How long each value is shown while all are played.
const EACH: Duration = Duration::from_millis(450);

/// The slider, if there is such a setting and it has a number.
#[component]
pub fn ControlSlider() -> impl IntoView {
    let store = Store::get();
    let control = store.part(|m| m.view.control.clone());
    move || control.get().and_then(|at| slider(store, at))
}

/// The values of a slider that are played.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    step: f64,
    most: f64,
}

impl Range {
    /// From nothing to twice a value, in at most twenty steps of a round number.
    fn around(value: f64) -> Range {
        let most = (2.0 * value).clamp(4.0, 1e6);
        let fine = if value.fract() == 0.0 { 1.0 } else { 0.5 };
        let step = [1.0, 2.0, 5.0].iter().cycle().zip(0..).map(|(n, i)| n * 10f64.powi(i / 3) * fine);
        let step = step.into_iter().find(|step| most / step <= 20.0).unwrap_or(most);
        Range { step, most: (most / step).ceil() * step }
    }

    fn values(self) -> impl Iterator<Item = f64> {
        (0..=(self.most / self.step).round() as u32).map(move |i| f64::from(i) * self.step)
    }
}

/// Values from which on an edit has another effect, each with the effect.
type Stops = Vec<(f64, String)>;

/// Steps of a value: as fine as it is written, so that it can be restored.
fn step_of(value: f64) -> &'static str {
    let is_multiple = |step: f64| ((value / step).round() * step - value).abs() < 1e-9;
    let steps = [("1", 1.0), ("0.5", 0.5), ("0.1", 0.1), ("0.05", 0.05), ("0.01", 0.01)];
    steps.into_iter().find(|(_, step)| is_multiple(*step)).map_or("any", |(text, _)| text)
}

/// Values that are tried out for a setting. The document stays unchanged until one is set.
#[derive(Clone, Copy)]
struct Trial {
    store: Store,
    at: StoredValue<Path>,
    /// The value whose outcome is shown.
    tried: RwSignal<Option<String>>,
    /// Position of the value that is played.
    playing: RwSignal<Option<usize>>,
    stops: RwSignal<Stops>,
}

impl Trial {
    fn of(store: Store, at: Path) -> Trial {
        let (at, tried) = (StoredValue::new(at), RwSignal::new(None));
        Trial { store, at, tried, playing: RwSignal::new(None), stops: RwSignal::new(Stops::new()) }
    }

    fn preview(self, value: String) {
        self.tried.set(Some(value.clone()));
        self.store.dispatch(Command::Preview { at: self.at.get_value(), value });
    }

    fn set(self, value: String) {
        self.tried.set(None);
        self.store.dispatch(Command::Set { at: self.at.get_value(), value });
        self.store.dispatch(Command::GestureEnd);
    }

    fn end(self) {
        self.tried.set(None);
        self.store.dispatch(Command::PreviewEnd);
    }

    /// Plays all values, or stops that.
    fn toggle(self) {
        if self.playing.get_untracked().is_some() {
            self.playing.set(None);
            return self.end();
        }
        self.stops.set(Vec::new());
        self.playing.set(Some(0));
    }

    /// The effect of the value that is tried; `None` if there is none.
    fn effect(self) -> Option<String> {
        let is_preview = self.store.changed.get_untracked().is_none();
        let edited = self.store.alternative_run.get_untracked().filter(|_| is_preview)?;
        alternative::effect(&*self.store.run.get_untracked()?, &edited, self.store.terms.get_untracked())
    }

    /// Adds the effect of a value if it is another than that of the value before.
    fn note(self, value: f64) {
        let effect = self.effect().unwrap_or_else(|| "no change".into());
        self.stops.update(|stops| {
            if stops.last().is_none_or(|(_, last)| *last != effect) {
                stops.push((value, effect));
            }
        });
    }
}

fn slider(store: Store, at: Path) -> Option<AnyView> {
    let start: f64 = store.now(|m| document::value(&m.document.scenario, &at)).parse().ok()?;
    let range = Range::around(start);
    let label = edit::name_of(&at, store.terms.get_untracked());
    let trial = Trial::of(store, at.clone());
    let value = store.text(move |m| document::value(&m.document.scenario, &at));
    let shown = move || trial.tried.get().unwrap_or_else(|| value.get());
    play_values(trial, range);
    // What was found holds for the scenario and the moment for which it was found.
    Effect::new(move |_| {
        value.track();
        store.frame.track();
        trial.stops.set(Vec::new());
        trial.playing.set(None);
    });
    let slider = view! {
        <div class="control">
            <label>
                <span>{label}</span>
                <input
                    type="range"
                    min="0"
                    max=range.most.to_string()
                    step=step_of(start)
                    prop:value=shown
                    on:input=move |event| {
                        trial.playing.set(None);
                        trial.preview(event_target_value(&event));
                    }
                    on:change=move |event| trial.set(event_target_value(&event))
                />
                <output>{shown}</output>
            </label>
            {buttons(trial)}
            <ul class="stops" aria-label="Values from which on the outcome is another" aria-live="polite">
                {move || trial.stops.get().into_iter().map(|stop| chip(trial, stop)).collect_view()}
            </ul>
        </div>
    };
    Some(slider.into_any())
}

/// The buttons that play all values and, outside of embedded pages, close the slider.
fn buttons(trial: Trial) -> impl IntoView {
    let is_playing = move || trial.playing.get().is_some();
    let close = trial.store.now(|m| m.view.embed.is_none()).then(|| {
        let close = move |()| {
            trial.end();
            trial.store.dispatch(Command::TryOut(None));
        };
        view! { <IconButton icon=IconKind::Close label="Close the slider" on_press=Callback::new(close) /> }
    });
    view! {
        <IconButton
            icon=Signal::derive(move || if is_playing() { IconKind::Pause } else { IconKind::Play })
            label=Signal::derive(move || if is_playing() { "Stop" } else { "Play all values" }.to_string())
            on_press=Callback::new(move |()| trial.toggle())
        />
        {close}
    }
}

/// A value from which on the outcome is another; a click shows it.
fn chip(trial: Trial, (from, effect): (f64, String)) -> impl IntoView {
    let show = move |_| trial.preview(from.to_string());
    view! { <li><button class="chip" on:click=show><b>{format!("from {from}:")}</b>" " {effect}</button></li> }
}

/// Plays the values one after the other, each as soon as the outcome of the one before is known, and collects those from
/// which on the outcome is another.
fn play_values(trial: Trial, range: Range) {
    let Trial { store, playing, .. } = trial;
    let awaited = store.part(is_awaited);
    Effect::new(move |_| {
        let Some(at) = playing.get() else { return };
        let Some(value) = range.values().nth(at) else {
            playing.set(None);
            return trial.end();
        };
        trial.preview(value.to_string());
        let next = move || {
            if playing.try_get_untracked() != Some(Some(at)) {
                return;
            }
            if awaited.get_untracked() {
                return set_timeout(move || playing.notify(), EACH);
            }
            trial.note(value);
            playing.set(Some(at + 1));
        };
        set_timeout(next, EACH);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_few_round_values_around_the_present_one() {
        let ends = |value| {
            let range = Range::around(value);
            (range.step, range.most, range.values().count())
        };
        assert_eq!(ends(2.0), (1.0, 4.0, 5));
        assert_eq!(ends(0.5), (0.5, 4.0, 9));
        assert_eq!(ends(0.0), (1.0, 4.0, 5));
        assert_eq!(ends(16.0), (2.0, 32.0, 17));
        assert_eq!(ends(2_500.0), (500.0, 5_000.0, 11));
    }

    #[test]
    fn steps_are_as_fine_as_the_value() {
        let steps = [2.0, 0.5, 1.5, 0.3, 0.25, 0.01, 0.001].map(step_of);
        assert_eq!(steps, ["1", "0.5", "0.5", "0.1", "0.05", "0.01", "any"]);
    }
}
