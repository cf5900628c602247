//! A list of tabs: one stop of Tab, in which arrow keys choose.

use leptos::prelude::*;

/// A tab.
#[derive(Clone)]
pub struct TabName {
    /// Id of its element.
    pub id: String,
    pub name: Signal<String>,
    /// Whether it is offered only while it is chosen.
    pub is_passing: bool,
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
    let named: Vec<(String, bool)> = tabs.iter().map(|tab| (tab.id.clone(), tab.is_passing)).collect();
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let (at, n) = (chosen.get_untracked(), named.len());
        let by = match event.key().as_str() {
            "ArrowRight" => 1,
            "ArrowLeft" => n - 1,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        let next = (1..n).map(|steps| (at + steps * by) % n).find(|to| !named[*to].1);
        if let Some(to) = next {
            on_choose.run(to);
            super::focus_id(&named[to].0);
        }
    };
    let tab = move |(at, TabName { id, name, is_passing }): (usize, TabName)| {
        view! {
            <button
                type="button"
                class="tab"
                role="tab"
                id=id
                aria-controls=panel
                hidden=move || is_passing && chosen.get() != at
                aria-selected=move || (chosen.get() == at).to_string()
                tabindex=move || if chosen.get() == at { "0" } else { "-1" }
                on:click=move |_| on_choose.run(at)
            >
                {name}
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
