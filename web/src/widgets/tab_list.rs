//! A list of tabs: one stop of Tab, in which arrow keys choose.

use leptos::prelude::*;

/// A tab.
#[derive(Clone)]
pub struct TabName {
    /// Id of its element.
    pub id: String,
    pub name: Signal<String>,
}

#[component]
pub fn TabList(
    /// Name of the list.
    label: &'static str,
    /// Id of the panel that shows the chosen tab.
    panel: &'static str,
    tabs: Vec<TabName>,
    /// The chosen tab.
    chosen: Memo<usize>,
    /// Called with the tab that is pressed or reached by an arrow key.
    #[prop(into)]
    on_choose: Callback<usize>,
) -> impl IntoView {
    let ids: Vec<String> = tabs.iter().map(|tab| tab.id.clone()).collect();
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let at = chosen.get_untracked();
        let to = match event.key().as_str() {
            "ArrowRight" => (at + 1) % ids.len(),
            "ArrowLeft" => (at + ids.len() - 1) % ids.len(),
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        on_choose.run(to);
        super::focus_id(&ids[to]);
    };
    let tab = move |(at, tab): (usize, TabName)| {
        view! {
            <button
                type="button"
                class="tab"
                role="tab"
                id=tab.id
                aria-controls=panel
                aria-selected=move || (chosen.get() == at).to_string()
                tabindex=move || if chosen.get() == at { "0" } else { "-1" }
                on:click=move |_| on_choose.run(at)
            >
                {tab.name}
            </button>
        }
    };
    let tabs = tabs.into_iter().enumerate().map(tab).collect_view();
    view! {
        <div class="tablist" role="tablist" aria-label=label on:keydown=on_key>
            {tabs}
        </div>
    }
}
