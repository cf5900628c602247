//! The setting that the reader of a link changes: a slider above the chart.

use fairground::scenario::Path;
use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::document::{self, edit};
use crate::store::Store;

/// The slider, if the link names a setting with a number.
#[component]
pub fn ControlSlider() -> impl IntoView {
    let store = Store::get();
    let control = store.part(|m| m.view.control.clone());
    move || control.get().and_then(|at| slider(store, at))
}

/// Steps of a value: as fine as it is written, so that it can be restored.
fn step_of(value: f64) -> &'static str {
    let is_multiple = |step: f64| ((value / step).round() * step - value).abs() < 1e-9;
    let steps = [("1", 1.0), ("0.5", 0.5), ("0.1", 0.1), ("0.05", 0.05), ("0.01", 0.01)];
    steps.into_iter().find(|(_, step)| is_multiple(*step)).map_or("any", |(text, _)| text)
}

fn slider(store: Store, at: Path) -> Option<AnyView> {
    let start: f64 = store.now(|m| document::value(&m.document.scenario, &at)).parse().ok()?;
    let most = (2.0 * start).clamp(4.0, 1e6).ceil();
    let label = edit::name_of(&at, store.terms.get_untracked());
    let (path, at) = (at.clone(), StoredValue::new(at));
    let value = store.text(move |m| document::value(&m.document.scenario, &path));
    let tried = RwSignal::new(None::<String>);
    let shown = move || tried.get().unwrap_or_else(|| value.get());
    let preview = move |event| {
        let value = event_target_value(&event);
        tried.set(Some(value.clone()));
        store.dispatch(Command::Preview { at: at.get_value(), value });
    };
    let set = move |event| {
        tried.set(None);
        store.dispatch(Command::Set { at: at.get_value(), value: event_target_value(&event) });
        store.dispatch(Command::GestureEnd);
    };
    let slider = view! {
        <label class="control">
            <span>{label}</span>
            <input type="range" min="0" max=most.to_string() step=step_of(start) prop:value=value on:input=preview on:change=set />
            <output>{shown}</output>
        </label>
    };
    Some(slider.into_any())
}

#[cfg(test)]
mod tests {
    use super::step_of;

    #[test]
    fn steps_are_as_fine_as_the_value() {
        let steps = [2.0, 0.5, 1.5, 0.3, 0.25, 0.01, 0.001].map(step_of);
        assert_eq!(steps, ["1", "0.5", "0.5", "0.1", "0.05", "0.01", "any"]);
    }
}
