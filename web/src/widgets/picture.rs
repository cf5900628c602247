//! Charts on the page: insertion of SVG text, measuring of elements, tables, and keyboard navigation.

use fairground::words::{Selection, number};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;

use super::icons::{Icon, IconKind};
use super::menu::{MenuButton, MenuItem};
use super::save_picture::save;
use super::term::{term, term_at};
use crate::chart::backend::REM;
use crate::chart::table::Table;
use crate::state::command::Command;
use crate::state::layout::options::Presenting;
use crate::store::Store;
use crate::widgets::text_scale;

/// Inserts the SVG text of a chart. It is the only function of the page that inserts markup.
pub fn insert(class: &'static str, svg: impl Into<Signal<String>>) -> impl IntoView {
    let svg = svg.into();
    view! { <span class=class inner_html=move || svg.get() aria-hidden="true"></span> }
}

/// A small static drawing.
pub fn icon(svg: String) -> impl IntoView {
    insert("glyph", Signal::stored(svg))
}

/// Legend entries: each mark with its name, which opens its definition. The first one is in the tab order, arrows lead
/// to the others.
pub fn legend_lines(lines: impl IntoIterator<Item = (String, &'static str)>) -> AnyView {
    let terms = Store::get().terms.get();
    let line = |(at, (svg, name)): (usize, (String, &'static str))| {
        let label = terms.word_apart(name).to_string();
        view! { <span on:keydown=along_legend>{icon(svg)}{term_at(label, at == 0)}</span> }
    };
    lines.into_iter().enumerate().map(line).collect_view().into_any()
}

/// Buttons over the parts of a picture that select queues; each has the name of its queue and a description. `place` gives
/// left, top, width and height in a picture of a width.
pub fn queue_spots(
    queues: Signal<Vec<(String, String)>>,
    place: fn(usize, f64) -> [f64; 4],
    width: Signal<f64>,
) -> AnyView {
    let store = Store::get();
    let spot = move |at: usize, name: String, says: String| {
        let side = move |side: usize| move || rem(place(at, width.get())[side]);
        let selection = Some(Selection::Queue(name));
        let clicked = selection.clone();
        let is_selected = move || store.selection.with(|selected| *selected == selection);
        view! {
            <button
                class="spot"
                style:left=side(0)
                style:top=side(1)
                style:width=side(2)
                style:height=side(3)
                tabindex=if at == 0 { "0" } else { "-1" }
                aria-label=says.clone()
                title=says
                aria-pressed=move || is_selected().to_string()
                on:click=move |_| store.dispatch(Command::Select(clicked.clone()))
            ></button>
        }
    };
    view! {
        <div role="group" aria-label=move || store.terms.get().fill("[Queues]")>
            <For each=move || queues.get().into_iter().enumerate() key=|queue| queue.clone() let:queue>
                {spot(queue.0, queue.1.0, queue.1.1)}
            </For>
        </div>
    }
    .into_any()
}

/// Moves the focus between the terms of a legend.
fn along_legend(event: web_sys::KeyboardEvent) {
    let legend =
        event.current_target().and_then(|line| line.unchecked_ref::<web_sys::Element>().closest(".legend").ok()?);
    let Some(legend) = legend else { return };
    let terms = legend.get_elements_by_class_name("term");
    let all: Vec<web_sys::Element> = (0..terms.length()).filter_map(|i| terms.item(i)).collect();
    move_among(&event, &all, |at, all| match event.key().as_str() {
        "ArrowRight" => Some((at + 1) % all.len()),
        "ArrowLeft" => Some((at + all.len() - 1) % all.len()),
        _ => None,
    });
}

/// Calls back with the element, initially and whenever its size or that of its picture changes.
pub fn on_size(node: NodeRef<html::Div>, measure: impl Fn(&web_sys::HtmlElement) + Clone + 'static) {
    Effect::new(move |_| {
        let Some(element) = node.get() else { return };
        let element: web_sys::HtmlElement = element.unchecked_into();
        let picture = element.get_elements_by_class_name("picture").item(0);
        watch(&element, picture, measure.clone());
    });
}

/// Calls back with an element, initially and whenever its size or that of another one changes, until the effect runs
/// again.
pub fn watch(
    element: &web_sys::HtmlElement,
    other: Option<web_sys::Element>,
    measure: impl Fn(&web_sys::HtmlElement) + 'static,
) {
    measure(element);
    let watched = element.clone();
    let react = Closure::<dyn Fn()>::new(move || measure(&watched));
    let Ok(observer) = web_sys::ResizeObserver::new(react.as_ref().unchecked_ref()) else { return };
    observer.observe(element);
    if let Some(other) = other {
        observer.observe(&other);
    }
    let observation = StoredValue::new_local((observer, react));
    on_cleanup(move || {
        observation.try_with_value(|(observer, _)| observer.disconnect());
    });
}

/// Height of the panel around an element in chart pixels, initially a guess. For a panel that grows with its content,
/// it is limited by the window; a presented panel does not grow.
pub fn panel_height(node: NodeRef<html::Div>, guess: f64) -> Signal<f64> {
    let height = RwSignal::new(guess);
    let store = Store::get();
    Effect::new(move |_| {
        let panel = node.get().and_then(|element| element.closest(".panel").ok().flatten());
        let Some(panel) = panel else { return };
        watch(panel.unchecked_ref(), None, move |panel| {
            let window = window().inner_height().ok().and_then(|pixels| pixels.as_f64()).unwrap_or(guess);
            let part = if store.now(|m| m.view.presenting == Presenting::Off) { 0.66 } else { 1.0 };
            let now = f64::from(panel.client_height()).min(part * window) / text_scale();
            if now > 0.0 && (height.get_untracked() - now).abs() > 4.0 {
                height.set(now);
            }
        });
    });
    height.into()
}

/// A chart length as a CSS length that scales with the page's text.
pub fn rem(length: f64) -> String {
    format!("{}rem", (length * 10.0).round() / (10.0 * REM))
}

/// Width of an element in chart pixels, initially a guess.
pub fn width_of(node: NodeRef<html::Div>, guess: f64) -> Signal<f64> {
    let width = RwSignal::new(guess);
    on_size(node, move |element| {
        let now = f64::from(element.client_width()) / text_scale();
        if now > 0.0 && width.get_untracked() != now {
            width.set(now);
        }
    });
    width.into()
}

/// Height that the stylesheet gives to the picture in an element, in chart pixels; initially a guess.
pub fn picture_height(node: NodeRef<html::Div>, guess: f64) -> Signal<f64> {
    let height = RwSignal::new(guess);
    on_size(node, move |element| {
        let Some(picture) = element.get_elements_by_class_name("picture").item(0) else { return };
        let now = f64::from(picture.client_height()) / text_scale();
        if now > 0.0 && height.get_untracked() != now {
            height.set(now);
        }
    });
    height.into()
}

/// A choice among names by their positions; one is chosen at first.
pub fn choice(
    label: &'static str,
    names: Vec<String>,
    chosen: usize,
    on_choice: impl Fn(usize) + 'static,
) -> impl IntoView {
    let option = |(i, name): (usize, String)| {
        view! { <option value=i.to_string() selected=i == chosen>{name}</option> }
    };
    let choose = move |event: web_sys::Event| on_choice(event_target_value(&event).parse().unwrap_or(0));
    view! {
        <label class="row">
            {label}
            <select class="input" on:change=choose>{names.into_iter().enumerate().map(option).collect_view()}</select>
        </label>
    }
}

/// The menu of a chart: saves it as a picture, and switches between chart and table.
pub fn chart_menu(as_table: RwSignal<bool>) -> AnyView {
    chart_menu_with(as_table, "Table and pictures", Vec::new)
}

/// The menu of a chart, with entries of its own before the others.
pub fn chart_menu_with(
    as_table: RwSignal<bool>,
    label: &'static str,
    own: impl Fn() -> Vec<MenuItem> + Send + Sync + 'static,
) -> AnyView {
    let store = Store::get();
    let place = NodeRef::<html::Span>::new();
    let save = move |as_png: bool| {
        if let Some(Ok(Some(chart))) = place.get_untracked().map(|place| place.closest(".chart")) {
            save(store, &chart, as_png);
        }
    };
    let items = move |()| {
        let is_table = as_table.get_untracked();
        let other = if is_table { "Show as a chart" } else { "Show as a table" };
        let mut items = own();
        items.push(MenuItem::call(other, move |()| as_table.set(!is_table)).key("T"));
        if !is_table {
            items.push(MenuItem::call("Save as SVG", move |()| save(false)));
            items.push(MenuItem::call("Save as PNG", move |()| save(true)));
        }
        if store.now(|m| m.view.embed.is_none()) {
            items.push(MenuItem::new("Present", Command::Present(Presenting::On)).key("P"));
        }
        items
    };
    let has_legend = RwSignal::new(false);
    view! {
        <span node_ref=place class="chart-tools no-print">
            <button
                type="button"
                class="btn quiet icon small only-phone legend-key"
                aria-label="Legend"
                aria-expanded=move || has_legend.get().to_string()
                on:click=move |_| has_legend.update(|on| *on = !*on)
            >
                <Icon kind=IconKind::Help />
            </button>
            <MenuButton label class="btn quiet icon small" items=Callback::new(items)>
                <Icon kind=IconKind::More />
            </MenuButton>
        </span>
    }
    .into_any()
}

/// The data of a chart as a table.
pub fn table(caption: &str, data: Table) -> AnyView {
    table_of(caption, data, None)
}

/// Maximum number of rendered rows.
const ROWS_MAX: usize = 400;

/// Above a table: its unit, and buttons to copy and save it.
fn table_tools(caption: &str, table: &Table) -> impl IntoView {
    let unit = table.unit().map(|unit| view! { <span class="hint grow">"Amounts in " {unit}</span> });
    let store = Store::get();
    let (tsv, csv) = (table.tsv(), table.csv());
    let rows = table.rows.len();
    let copy = move |_| copy_rows(store, tsv.clone(), rows);
    let file = format!("{}.csv", caption.to_lowercase());
    let save = move |_| crate::downloads::download(&file, "text/csv", &csv);
    view! {
        <div class="table-tools">
            {unit}
            <button type="button" class="btn quiet small no-print" title="Copy as tab-separated values" on:click=copy>
                "Copy"
            </button>
            <button type="button" class="btn quiet small no-print" title="Save as comma-separated values" on:click=save>
                "CSV"
            </button>
        </div>
    }
}

/// A table with a highlighted row. If there are too many rows, only those around it are rendered.
pub fn table_of(caption: &str, table: Table, meant: Option<usize>) -> AnyView {
    let text = table.text_columns;
    let left_out = table.rows.len().saturating_sub(ROWS_MAX);
    let first = meant.map_or(0, |at| at.saturating_sub(ROWS_MAX / 2)).min(left_out);
    let left_out = (left_out > 0).then(|| {
        let said = format!(
            "Rows {} to {} of {}; all of them are in what is copied and saved.",
            first + 1,
            first + ROWS_MAX,
            table.rows.len()
        );
        view! { <p class="hint">{said}</p> }
    });
    let tools = table_tools(caption, &table);
    let ending = table.unit().map(|unit| format!(", {unit}"));
    let head = move |head: String| match &ending {
        Some(ending) => head.strip_suffix(ending).unwrap_or(&head).to_string(),
        None => head,
    };
    // A queue may have the same name as a term.
    let by_queue = table.is_by_queue;
    let head = move |label: String| if by_queue { head(label).into_any() } else { term(head(label)) };
    let (label, caption) = (caption.to_string(), caption.to_string());
    let class = move |i: usize| if i < text { "" } else { "num" };
    view! {
        {tools}
        <div class="table-wrap" tabindex="0" role="region" aria-label=label>
            <table class="data">
                <caption class="sr">{caption}</caption>
                <thead>
                    <tr>
                        {table
                            .head
                            .into_iter()
                            .enumerate()
                            .map(|(i, cell)| view! { <th scope="col" class=class(i)>{head(cell)}</th> })
                            .collect_view()}
                    </tr>
                </thead>
                <tbody>
                    {table
                        .rows
                        .into_iter()
                        .enumerate()
                        .skip(first)
                        .take(ROWS_MAX)
                        .map(|(at, row)| {
                            view! {
                                <tr class:on=meant == Some(at)>
                                    {row
                                        .into_iter()
                                        .enumerate()
                                        .map(|(i, cell)| view! { <td class=class(i)>{cell}</td> })
                                        .collect_view()}
                                </tr>
                            }
                        })
                        .collect_view()}
                </tbody>
            </table>
            {left_out}
        </div>
    }
    .into_any()
}

/// Keyboard shortcuts of all charts: `t` switches to the table and back, Ctrl+C copies the table. Returns whether the
/// key was handled.
pub fn chart_keys(
    store: Store,
    event: &web_sys::KeyboardEvent,
    as_table: RwSignal<bool>,
    data: impl FnOnce() -> Option<Table>,
) -> bool {
    let with_ctrl = event.ctrl_key() || event.meta_key();
    match event.key().as_str() {
        "t" | "T" if !with_ctrl => flip(event, as_table),
        "c" | "C" if with_ctrl && !event.shift_key() => copy(store, data()),
        _ => return false,
    }
    true
}

/// Copies a table as tab-separated values, with a notice.
pub fn copy(store: Store, table: Option<Table>) {
    if let Some(table) = table {
        copy_rows(store, table.tsv(), table.rows.len());
    }
}

fn copy_rows(store: Store, tsv: String, n: usize) {
    let rows = number::count(n as u64, "row");
    crate::clipboard::copy(store, tsv, format!("The table was copied: {rows}, tab-separated."));
}

/// Switches between chart and table. If the focused element is removed, the replacement is focused.
fn flip(event: &web_sys::KeyboardEvent, as_table: RwSignal<bool>) {
    as_table.update(|shown| *shown = !*shown);
    let Some(chart) = event.current_target() else { return };
    let chart: web_sys::Element = chart.unchecked_into();
    request_animation_frame(move || {
        let has_focus = document().active_element().is_some_and(|at| chart.contains(Some(&at)));
        if has_focus {
            return;
        }
        let part = if as_table.get_untracked() {
            ".table-wrap"
        } else {
            ".scrub, .hits, .brow[tabindex='0'], .spot[tabindex='0'], [tabindex='0']"
        };
        if let Ok(Some(part)) = chart.query_selector(part) {
            let _ = part.unchecked_ref::<web_sys::HtmlElement>().focus();
        }
    });
}

/// Distances of keyboard navigation among the marks of a chart.
#[derive(Clone, Copy, Debug)]
pub struct Stride {
    /// To the mark below.
    pub down: usize,
    /// A page down.
    pub page: usize,
}

/// Keyboard navigation among the marks of a chart (`.spot`), besides [`chart_keys`].
pub fn walk(event: &web_sys::KeyboardEvent, Stride { down, page }: Stride) {
    let key = event.key();
    let rule = |at: usize, all: &[web_sys::Element]| {
        let further = |by: usize| Some((at + by).min(all.len() - 1));
        let back = |by: usize| Some(at.saturating_sub(by));
        match key.as_str() {
            "ArrowRight" => further(1),
            "ArrowLeft" => back(1),
            "ArrowDown" => further(down),
            "ArrowUp" => back(down),
            "PageDown" => further(page),
            "PageUp" => back(page),
            "Home" => Some(0),
            "End" => Some(all.len() - 1),
            _ => None,
        }
    };
    move_focus(event, "spot", rule);
}

/// Moves the focus among elements of a class in a container; the rule maps index and count to an index.
pub fn move_focus(
    event: &web_sys::KeyboardEvent,
    class: &str,
    rule: impl FnOnce(usize, &[web_sys::Element]) -> Option<usize>,
) {
    move_among(event, &inside(event, class), rule);
}

/// Elements of a class in the container with the listener.
pub fn inside(event: &web_sys::KeyboardEvent, class: &str) -> Vec<web_sys::Element> {
    let Some(container) = event.current_target() else { return Vec::new() };
    let elements = container.unchecked_ref::<web_sys::Element>().get_elements_by_class_name(class);
    (0..elements.length()).filter_map(|i| elements.item(i)).collect()
}

/// Target of ↑, ↓, Home and End in a list.
pub fn along_line(key: &str, at: usize, n: usize) -> Option<usize> {
    match key {
        "ArrowDown" => Some((at + 1).min(n - 1)),
        "ArrowUp" => Some(at.saturating_sub(1)),
        "Home" => Some(0),
        "End" => Some(n - 1),
        _ => None,
    }
}

/// Moves the focus among elements; the rule maps index and count to an index.
pub fn move_among(
    event: &web_sys::KeyboardEvent,
    all: &[web_sys::Element],
    rule: impl FnOnce(usize, &[web_sys::Element]) -> Option<usize>,
) {
    let Some(target) = event.target() else { return };
    let target: web_sys::Element = target.unchecked_into();
    let Some(at) = all.iter().position(|element| *element == target) else { return };
    let Some(next) = rule(at, all).and_then(|next| all.get(next)) else { return };
    event.prevent_default();
    event.stop_propagation();
    let _ = next.unchecked_ref::<web_sys::HtmlElement>().focus();
}
