//! WHY in three levels: verdict and outlook of the selection; the deciding numbers; the rule and all numbers, folded.

use std::sync::Arc;

use fairground::policy::versions;
use fairground::words::{Paragraph, Selection, Terms};
use leptos::prelude::*;

use crate::linked;
use crate::state::command::Command;
use crate::store::Store;
use crate::views::timeline::draw::event_icon;
use crate::widgets::picture::{along_line, icon, move_focus};
use crate::widgets::term::term;
use crate::words::{
    self, Cell, Comparison, Control, Evidence, Explanation, Fact, LadderStep, ListEntry, Piece, RuleCard, Text,
};

/// The explanation of the selection at the cursor; without a selection, of the cycle.
pub fn explained(store: Store) -> Memo<Option<Explanation>> {
    Memo::new(move |_| {
        let selection = store.selection.get();
        // Rules can be explained before the first cycle.
        let is_rule = matches!(selection, Some(Selection::Rule(_)));
        let frame = store.frame.get().or_else(|| is_rule.then(Default::default))?;
        let (run, ladder, order, event) = (store.run.get(), store.ladder.get(), store.order.get(), store.event.get());
        let (rules, scenario) = (store.rules.get(), store.scenario.get());
        Some(match selection {
            Some(Selection::Rule(key)) => words::rule(&frame, &key, rules.as_deref(), &scenario),
            Some(about) => {
                let resource = store.explained.get();
                let in_pool = matches!(about, Selection::Queue(_)).then(|| store.pool.get());
                let frame = in_pool.and_then(|pool| frame.in_pool(&pool)).map_or(frame, Arc::new);
                let (run, ladder, event) = (run.as_deref(), ladder.as_deref(), event.as_deref());
                let mut why = words::why_with(&frame, run, &about, ladder, event, resource);
                words::put_order(&mut why, &frame, &about, order.as_deref());
                why
            }
            None => words::at_rest(&frame),
        })
    })
}

/// The beginning of an explanation: verdict and outlook.
#[component]
pub fn Why(
    /// `None` before the first cycle.
    explanation: Memo<Option<Explanation>>,
) -> impl IntoView {
    move || {
        let Some(Explanation { about, when, verdict, outlook, .. }) = explanation.get() else {
            return view! { <div class="why"><p class="dim">"Nothing has run yet."</p></div> }.into_any();
        };
        let outlook = (!outlook.is_empty()).then(|| {
            let says = view! { <p class="more">{text(outlook)}</p> };
            section("What happens next".into(), says.into_any())
        });
        view! {
            <div class="why">
                <h2><span>{text(about)}</span><span class="dim">{when}</span></h2>
                <p class="verdict">{text(verdict)}</p>
                {outlook}
            </div>
        }
        .into_any()
    }
}

/// The rest of an explanation: the deciding numbers, then folded the rule and all numbers, and the history.
#[component]
pub fn WhyEvidence(
    /// `None` before the first cycle.
    explanation: Memo<Option<Explanation>>,
) -> impl IntoView {
    move || explanation.get().map(body)
}

/// Rows of the table outside of the fold.
const ROWS_MAX: usize = 4;

fn body(mut shown: Explanation) -> impl IntoView {
    let terms = Terms::of(&shown.policy);
    let is_of_rule = shown.rule.as_ref().is_some_and(|rule| rule.is_subject);
    let faults = texts("Known fault of the modelled version", std::mem::take(&mut shown.faults));
    let history = std::mem::take(&mut shown.history);
    let all = shown.evidence.take();
    let deciding = all.clone().map(deciding);
    // Without numbers, the list is what there is to see.
    let list = (all.is_none() && !is_of_rule).then(|| shown.list.take()).flatten();
    shown.evidence = all.filter(|all| all.rows.len() > ROWS_MAX);
    let rest = if is_of_rule { rest(shown, terms).into_any() } else { folded(shown, terms).into_any() };
    view! {
        <div class="why evidence">
            {faults}
            {deciding.map(|evidence| evidence_table(evidence, terms))}
            {list.map(|list| entries(list, terms))}
            {rest}
            {(!history.is_empty()).then(|| view! {
                <details class="more">
                    <summary>"History"</summary>
                    {entry_list(history)}
                </details>
            })}
        </div>
    }
}

/// The table with its deciding rows, filled up with the first others.
fn deciding(mut evidence: Evidence) -> Evidence {
    let mut n_others = ROWS_MAX.saturating_sub(evidence.rows.iter().filter(|row| row.2).count());
    evidence.rows.retain(|row| {
        let is_kept = row.2 || n_others > 0;
        n_others -= usize::from(is_kept && !row.2);
        is_kept
    });
    evidence.rows.truncate(ROWS_MAX);
    evidence
}

/// The rule and all numbers, in a fold whose state is remembered; nothing if there are none.
fn folded(shown: Explanation, terms: &'static Terms) -> Option<impl IntoView> {
    let store = Store::get();
    let has_more = shown.evidence.is_some()
        || shown.rule.is_some()
        || shown.list.is_some()
        || !(shown.ladder.is_empty() && shown.checks.is_empty() && shown.controls.is_empty())
        || !(shown.order.is_empty() && shown.also.is_empty() && shown.others.is_empty());
    let toggle = move |event: web_sys::Event| {
        if let Some(details) = crate::widgets::target::<web_sys::Element>(&event) {
            store.dispatch(Command::ShowAllNumbers(details.has_attribute("open")));
        }
    };
    has_more.then(|| {
        view! {
            <details class="rest" open=store.now(|m| m.view.all_numbers) on:toggle=toggle>
                <summary>"The rule and all numbers"</summary>
                <div class="why">{rest(shown, terms)}</div>
            </details>
        }
    })
}

/// Everything about a decision but the deciding numbers.
fn rest(shown: Explanation, terms: &'static Terms) -> impl IntoView {
    let Explanation { also, evidence, checks, rule, controls, ladder, order, list, others, .. } = shown;
    let order = (!order.is_empty()).then(|| {
        let levels = order.into_iter().map(|level| section(level.caption, entry_list(level.entries).into_any()));
        let says =
            "It is computed from the end of this cycle; what was decided in this cycle may have had another order.";
        view! {
            <h3>"Order of the next cycle"</h3>
            <p class="hint">{says}</p>
            {levels.collect_view()}
        }
    });
    view! {
        {rule.map(|rule| section("Rule".into(), rule_card(rule).into_any()))}
        {evidence.map(|evidence| evidence_table(evidence, terms))}
        {(!ladder.is_empty()).then(|| section(terms.fill("[How the fair share is computed]"), ladder_list(ladder).into_any()))}
        {(!checks.is_empty()).then(|| comparisons(checks))}
        {(!controls.is_empty()).then(|| section("Settings that matter".into(), chips(controls).into_any()))}
        {order}
        {texts("Also", also)}
        {list.map(|list| entries(list, terms))}
        {(!others.is_empty()).then(|| section("Not chosen".into(), entry_list(others).into_any()))}
    }
}

/// A section of sentences; nothing if there are none.
fn texts(caption: &str, all: Vec<Text>) -> Option<impl IntoView> {
    (!all.is_empty()).then(|| {
        let items = all.into_iter().map(|says| view! { <p class="more">{text(says)}</p> }).collect_view();
        section(caption.into(), items.into_any())
    })
}

fn entries((caption, entries): (&'static str, Vec<ListEntry>), terms: &Terms) -> impl IntoView {
    section(terms.fill(caption), entry_list(entries).into_any())
}

/// The comparisons behind a decision, folded.
fn comparisons(checks: Vec<Comparison>) -> impl IntoView {
    let n = checks.len();
    let items = checks.into_iter().map(|check| view! { <li>{text(check.text)}</li> }).collect_view();
    view! {
        <details class="more">
            <summary>{if n == 1 { "1 comparison".to_string() } else { format!("{n} comparisons") }}</summary>
            <ul class="checks">{items}</ul>
        </details>
    }
}

/// A sentence; names are marked up as code and select the thing they name.
pub fn text(text: Text) -> impl IntoView {
    let store = Store::get();
    text.0
        .into_iter()
        .map(|piece| {
            let selection = piece.selection();
            match piece {
                Piece::Plain(words) | Piece::Name(words) => words.into_any(),
                Piece::Amount(words, fact) => {
                    view! { <span data-number=number_of(store, Some(&fact))>{words}</span> }.into_any()
                }
                Piece::Queue(name) | Piece::Job(name) | Piece::Node(name) | Piece::Rule(name) => {
                    let by_key = selection.clone();
                    // Not a button element: punctuation after it would wrap to the next line.
                    view! {
                        <code
                            class="name"
                            role="button"
                            tabindex="0"
                            on:click=move |_| store.dispatch(Command::Select(selection.clone()))
                            on:keydown=move |event| {
                                if matches!(event.key().as_str(), "Enter" | " ") {
                                    event.prevent_default();
                                    event.stop_propagation();
                                    store.dispatch(Command::Select(by_key.clone()));
                                }
                            }
                        >
                            {name}
                        </code>
                    }
                    .into_any()
                }
            }
        })
        .collect_view()
}

/// The name of a recorded amount.
fn number_of(store: Store, fact: Option<&Fact>) -> Option<String> {
    let frame = store.frame.get_untracked()?;
    fact.map(|fact| linked::of_fact(&frame, fact))
}

/// A captioned section of an explanation.
pub fn section(caption: String, content: AnyView) -> impl IntoView {
    view! { <div><p class="lab">{caption}</p>{content}</div> }
}

fn evidence_table(evidence: Evidence, terms: &Terms) -> impl IntoView {
    let Evidence { caption, head, rows } = evidence;
    let store = Store::get();
    let cell = move |cell: Cell| {
        let number = number_of(store, cell.fact.as_ref());
        view! { <td><span data-number=number>{cell.shown}</span></td> }
    };
    let head = (!head.is_empty()).then(|| {
        let cell = |cell: Text| {
            if cell.is_empty() {
                view! { <td></td> }.into_any()
            } else {
                view! { <th scope="col">{text(cell)}</th> }.into_any()
            }
        };
        let cells = head.into_iter().map(cell).collect_view();
        view! { <thead><tr>{cells}</tr></thead> }
    });
    view! {
        <div>
            <p class="lab">{text(caption)}</p>
            <table class="ev">
                {head}
                <tbody>
                    {rows
                        .into_iter()
                        .map(|(what, cells, key)| {
                            view! {
                                <tr class:key=key>
                                    <td>{term(terms.fill(what))}</td>
                                    {cells.into_iter().map(cell).collect_view()}
                                </tr>
                            }
                        })
                        .collect_view()}
                </tbody>
            </table>
        </div>
    }
}

fn ladder_list(steps: Vec<LadderStep>) -> impl IntoView {
    let resource = Store::get().explained.get_untracked();
    let item = move |step: LadderStep| {
        let number = step.number.map(|(queue, quantity)| linked::of_queue(&queue, quantity, resource));
        view! {
            <li class:key=step.result class:own=step.own class:starts=step.starts>
                <span>{text(step.text)}</span>
                <span data-number=number>{step.value}</span>
                {(!step.sum.is_empty()).then(|| view! { <small>{step.sum}</small> })}
            </li>
        }
    };
    view! { <ol class="ladder">{steps.into_iter().map(item).collect_view()}</ol> }
}

fn rule_card(rule: RuleCard) -> impl IntoView {
    let is_assumption = rule.is_assumption();
    let RuleCard { key, says, formula, source, link, paragraph, differs, is_subject } = rule;
    let more = !formula.is_empty() || !source.is_empty() || !differs.is_empty();
    let since = since(&key);
    view! {
        <div class="rule">
            {if is_subject {
                view! { <code>{key}</code> }.into_any()
            } else {
                view! { {says}{text(Text::default().rule(&key))} }.into_any()
            }}
            {is_assumption.then(|| view! { <span class="dim" title="Not documented by the vendor">" assumption"</span> })}
            {more
                .then(|| {
                    view! {
                        <details open=is_subject>
                            <summary>"Formula and source"</summary>
                            <p class="formula">{formula}</p>
                            <p class="hint">
                                {if link.is_empty() {
                                    source.into_any()
                                } else {
                                    view! { <a href=link target="_blank" rel="noopener noreferrer">{source}</a> }.into_any()
                                }}
                                {paragraph.map(specification)}
                            </p>
                            {(!differs.is_empty()).then(|| view! { <p class="hint">{differs}</p> })}
                        </details>
                    }
                })}
            {since}
        </div>
    }
}

/// Link to the paragraph of the specification, which is a page of the site.
fn specification(Paragraph { document, number }: Paragraph) -> impl IntoView {
    let href = format!("spec/{document}.html#{number}");
    view! { ". " <a href=href target="_blank">{format!("Specification, section {number}")}</a> }
}

/// Changes of a rule without which the revision of the scenario is simulated.
fn since(key: &str) -> Option<AnyView> {
    let (modelled, revision) = Store::get().scenario.with(|scenario| versions::revision_of(scenario))?;
    let lines: Vec<AnyView> = modelled
        .since(revision, key)
        .map(|change| view! { <li><b>{change.version}</b> ": " {change.now} " " {change.notice}</li> }.into_any())
        .collect();
    let caption = format!("Newer versions of {} differ here ({})", modelled.product, lines.len());
    (!lines.is_empty()).then(|| {
        view! {
            <details>
                <summary>{caption}</summary>
                <ul class="later-versions">{lines}</ul>
            </details>
        }
        .into_any()
    })
}

/// A text without links, with names as code.
fn plain(text: Text) -> Vec<AnyView> {
    let piece = |piece| match piece {
        Piece::Plain(words) | Piece::Name(words) | Piece::Amount(words, _) => words.into_any(),
        Piece::Queue(name) | Piece::Job(name) | Piece::Node(name) | Piece::Rule(name) => {
            view! { <code>{name}</code> }.into_any()
        }
    };
    text.0.into_iter().map(piece).collect()
}

/// Chips that focus the fields of settings.
fn chips(controls: Vec<Control>) -> impl IntoView {
    let store = Store::get();
    let chip = move |control: Control| {
        let path = control.path;
        let label = plain(control.label);
        view! { <button class="chip" on:click=move |_| store.dispatch(Command::FocusField(path.clone()))>{label}</button> }
    };
    view! { <div class="ctl">{controls.into_iter().map(chip).collect_view()}</div> }
}

/// Lines that go to their cycle, if they have one, and select their subject.
pub fn entry_list(entries: Vec<ListEntry>) -> impl IntoView {
    let store = Store::get();
    let item = move |(at, entry): (usize, ListEntry)| {
        let ListEntry { when, cycle, kind, text, selection, current } = entry;
        let shape = kind.map(|kind| icon(event_icon(kind)));
        let words = plain(text);
        let click = move |_| {
            if let Some(cycle) = cycle {
                store.dispatch(Command::GoTo(cycle));
            }
            if let Some(selection) = selection.clone() {
                store.dispatch(Command::Select(Some(selection)));
            }
        };
        view! {
            <li>
                <button class="entry" class:on=current tabindex=if at == 0 { "0" } else { "-1" } on:click=click>
                    <span class="dim">{when}</span>
                    <span>{shape}</span>
                    <span>{words}</span>
                </button>
            </li>
        }
    };
    let keys = |event: web_sys::KeyboardEvent| {
        let key = event.key();
        move_focus(&event, "entry", |at, all| along_line(&key, at, all.len()));
    };
    view! {
        <ul class="hist" data-composite on:keydown=keys>
            {entries.into_iter().enumerate().map(item).collect_view()}
        </ul>
    }
}
