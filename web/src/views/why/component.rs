//! WHY: verdict, evidence, rule, settings and outlook of the selection.

use std::sync::Arc;

use fairground::policy::versions;
use fairground::words::number::count;
use fairground::words::{Paragraph, Selection, Terms};
use leptos::prelude::*;

use crate::state::command::Command;
use crate::store::Store;
use crate::views::timeline::draw::event_icon;
use crate::widgets::picture::icon;
use crate::widgets::term::term;
use crate::words::{self, Comparison, Control, Entry, Evidence, Explanation, Piece, RuleCard, Step, Text};

/// The explanation of the selection at the cursor; without a selection, of the cycle.
pub fn explained(store: Store) -> Memo<Option<Explanation>> {
    Memo::new(move |_| {
        let selection = store.selection.get();
        // Rules can be explained before the first cycle.
        let is_rule = matches!(selection, Some(Selection::Rule(_)));
        let frame = store.frame.get().or_else(|| is_rule.then(Default::default))?;
        let (run, ladder, order) = (store.run.get(), store.ladder.get(), store.order.get());
        let (rules, scenario) = (store.rules.get(), store.scenario.get());
        Some(match selection {
            Some(Selection::Rule(key)) => words::rule(&frame, &key, rules.as_deref(), &scenario),
            Some(about) => {
                let resource = store.explained.get();
                let in_pool = matches!(about, Selection::Queue(_)).then(|| store.pool.get());
                let frame = in_pool.and_then(|pool| frame.in_pool(&pool)).map_or(frame, Arc::new);
                let mut why = words::why(&frame, run.as_deref(), &about, ladder.as_deref(), resource);
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

/// The rest of an explanation: evidence, rule, settings, alternatives, history.
#[component]
pub fn WhyEvidence(
    /// `None` before the first cycle.
    explanation: Memo<Option<Explanation>>,
) -> impl IntoView {
    move || explanation.get().map(body)
}

fn body(shown: Explanation) -> impl IntoView {
    let Explanation {
        also,
        faults,
        evidence,
        checks,
        rule,
        controls,
        ladder,
        order,
        list,
        others,
        history,
        policy,
        ..
    } = shown;
    let terms = Terms::of(&policy);
    let checks = (!checks.is_empty()).then(|| comparisons(checks));
    let also = (!also.is_empty()).then(|| {
        let items =
            also.into_iter().map(|reason| view! { <p class="more">{text(reason)}</p> }).collect_view();
        section("Also".into(), items.into_any())
    });
    let faults = (!faults.is_empty()).then(|| {
        let items =
            faults.into_iter().map(|fault| view! { <p class="more">{text(fault)}</p> }).collect_view();
        section("Known fault of the modelled version".into(), items.into_any())
    });
    let order = (!order.is_empty()).then(|| {
        let levels = order.into_iter().map(|level| section(level.caption, entry_list(level.entries).into_any()));
        let says = "It is computed from the end of this cycle; what was decided in this cycle may have had another order.";
        view! {
            <h3>"Order of the next cycle"</h3>
            <p class="hint">{says}</p>
            {levels.collect_view()}
        }
    });
    view! {
        <div class="why evidence">
            {faults}
            {evidence.map(|evidence| evidence_table(evidence, terms))}
            {(!ladder.is_empty()).then(|| section(terms.fill("[How the fair share is computed]"), ladder_list(ladder).into_any()))}
            {rule.map(|rule| section("Rule".into(), rule_card(rule).into_any()))}
            {checks}
            {(!controls.is_empty())
                .then(|| section("Settings that matter".into(), chips(controls).into_any()))}
            {order}
            {also}
            {list.map(|(caption, entries)| section(terms.fill(caption), entry_list(entries).into_any()))}
            {(!others.is_empty())
                .then(|| section("Not chosen".into(), entry_list(others).into_any()))}
            {(!history.is_empty())
                .then(|| section("History".into(), entry_list(history).into_any()))}
        </div>
    }
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
                Piece::Plain(words) | Piece::Name(words) | Piece::Amount(words, _) => words.into_any(),
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

/// A captioned section of an explanation.
pub fn section(caption: String, content: AnyView) -> impl IntoView {
    view! { <div><p class="lab">{caption}</p>{content}</div> }
}

fn evidence_table(evidence: Evidence, terms: &Terms) -> impl IntoView {
    let Evidence { caption, head, rows } = evidence;
    let head = (!head.is_empty()).then(|| {
        let cell = |cell: Text| match cell.is_empty() {
            true => view! { <td></td> }.into_any(),
            false => view! { <th scope="col">{text(cell)}</th> }.into_any(),
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
                                    {cells.into_iter().map(|cell| view! { <td>{cell.shown}</td> }).collect_view()}
                                </tr>
                            }
                        })
                        .collect_view()}
                </tbody>
            </table>
        </div>
    }
}

fn ladder_list(steps: Vec<Step>) -> impl IntoView {
    let item = move |step: Step| {
        view! {
            <li class:key=step.result class:own=step.own class:starts=step.starts>
                <span>{text(step.text)}</span>
                <span>{step.value}</span>
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
        .map(|change| {
            view! { <li><b>{change.version}</b> ": " {change.now} " " {change.notice}</li> }.into_any()
        })
        .collect();
    let caption = format!("{} not simulated in {}", count(lines.len() as u64, "change"), revision.label);
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
pub fn entry_list(entries: Vec<Entry>) -> impl IntoView {
    let store = Store::get();
    let item = move |entry: Entry| {
        let Entry { when, cycle, kind, text, selection, current } = entry;
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
                <button class:on=current on:click=click>
                    <span class="dim">{when}</span>
                    <span>{shape}</span>
                    <span>{words}</span>
                </button>
            </li>
        }
    };
    view! { <ul class="hist">{entries.into_iter().map(item).collect_view()}</ul> }
}
