//! The tabs of NOW: four questions, each with the pictures that answer it, and the comparison while it is shown.

use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::layout::options::NowView;
use crate::store::Store;
use crate::widgets::tab_list::{TabList, TabName};

/// A question about the run, and the names of the pictures that answer it.
struct Tab {
    name: &'static str,
    views: &'static [(NowView, &'static str)],
}

const TABS: [Tab; 5] = [
    Tab { name: "Shares", views: &[(NowView::Shares, "Bars"), (NowView::Tree, "Tree")] },
    Tab {
        name: "Division",
        views: &[
            (NowView::Division, "Amounts"),
            (NowView::ShareUsage, "Share usage"),
            (NowView::Priorities, "Priorities"),
        ],
    },
    Tab { name: "Jobs", views: &[(NowView::Gantt, "Gantt")] },
    Tab { name: "Report", views: &[(NowView::Fairness, "Fairness"), (NowView::Trends, "Trends")] },
    Tab { name: "Compare", views: &[(NowView::Compare, "Runs")] },
];

/// The position of the tab of a view.
fn tab_of(view: NowView) -> usize {
    TABS.iter().position(|tab| tab.views.iter().any(|(of, _)| *of == view)).unwrap_or_default()
}

/// The id of a view's tab.
pub fn tab_id(view: NowView) -> String {
    format!("now-tab-{}", TABS[tab_of(view)].name.to_lowercase())
}

/// The current view of NOW.
pub fn shown_view(store: Store) -> Memo<NowView> {
    Memo::new(move |_| store.scenario.with(|s| store.view.with(|v| v.now.under(&s.policy))))
}

/// The tabs, and the pictures of the current one if there are several.
#[component]
pub fn ViewTabs(shown: Memo<NowView>) -> impl IntoView {
    let store = Store::get();
    let current = Memo::new(move |_| tab_of(shown.get()));
    // A new view starts at its top.
    Effect::new(move |was: Option<NowView>| {
        let now = shown.get();
        if was.is_some_and(|was| was != now)
            && let Some(panel) = document().get_elements_by_class_name("now-panel").item(0)
        {
            panel.set_scroll_top(0);
        }
        now
    });
    let tabs = TABS.iter().map(|tab| TabName {
        id: tab_id(tab.views[0].0),
        name: tab.name.to_owned().into(),
        is_passing: tab.views[0].0 == NowView::Compare,
    });
    view! {
        <TabList
            label="What is shown"
            panel="now-body"
            tabs=tabs.collect()
            chosen=current
            on_choose=move |at: usize| store.dispatch(Command::ShowView(TABS[at].views[0].0))
        />
        {move || pictures(store, &TABS[current.get()], shown)}
    }
}

/// The choice of the picture of a tab, if there are several.
fn pictures(store: Store, tab: &'static Tab, shown: Memo<NowView>) -> Option<impl IntoView> {
    let has_levels = Memo::new(move |_| {
        store.frame.with(|f| f.as_ref().is_some_and(|f| f.queues.iter().any(|q| q.parent.is_some())))
    });
    let is_offered = move |view: NowView| match view {
        // Without levels, the tree is the bars once more.
        NowView::Tree => has_levels.get() || shown.get() == NowView::Tree,
        view => store.scenario.with(|scenario| view.under(&scenario.policy) == view),
    };
    let offered = Memo::new(move |_| {
        tab.views.iter().copied().filter(|(view, _)| is_offered(*view)).collect::<Vec<(NowView, &str)>>()
    });
    let picture = move |(this, name): (NowView, &'static str)| {
        view! {
            <button
                type="button"
                aria-pressed=move || (shown.get() == this).to_string()
                on:click=move |_| store.dispatch(Command::ShowView(this))
            >
                {name}
            </button>
        }
    };
    let choice = move || {
        let offered = offered.get();
        (offered.len() > 1).then(|| {
            let all = offered.into_iter().map(picture).collect_view();
            view! { <div class="seg pictures no-print" role="group" aria-label=format!("Pictures of {}", tab.name)>{all}</div> }
        })
    };
    (tab.views.len() > 1).then_some(choice)
}
