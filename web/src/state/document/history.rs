//! Undo and redo. Each step has the scenario before and after it and a name. Steps that were undone before another
//! change stay among the earlier states.

use std::sync::Arc;

use fairground::scenario::Scenario;
use serde::{Deserialize, Serialize};

/// Largest number of undo steps.
pub const STEPS_MAX: usize = 200;
/// Changes by one control within this time are one step.
pub const GESTURE_MS: u64 = 500;

/// An undo step.
#[derive(Clone, Debug, PartialEq)]
pub struct UndoStep {
    /// Time of the change, milliseconds since 1970; unique within a history.
    pub made_ms: u64,
    /// Such as *quota of team-a 2 → 4*.
    pub name: String,
    pub before: Arc<Scenario>,
    pub after: Arc<Scenario>,
}

/// The current gesture; its changes extend the last step.
#[derive(Clone, Debug, PartialEq)]
struct Gesture {
    control: String,
    last_ms: u64,
}

/// Undo and redo steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    done: Vec<UndoStep>,
    undone: Vec<UndoStep>,
    /// Undone before another change, oldest first.
    aside: Vec<UndoStep>,
    gesture: Option<Gesture>,
}

impl History {
    /// Records a change by `control` (empty: never merged with others). The name is derived from the scenario before
    /// the whole gesture. Returns whether the change was merged into the previous step.
    pub fn record(
        &mut self,
        control: &str,
        now_ms: u64,
        before: &Arc<Scenario>,
        after: &Arc<Scenario>,
        name: impl FnOnce(&Scenario) -> String,
    ) -> bool {
        self.set_aside();
        // 0 is reserved for the opened document.
        let made_ms = self.last_ms().map_or(now_ms.max(1), |last| now_ms.max(last + 1));
        let joins = self.gesture.as_ref().is_some_and(|g| {
            !control.is_empty() && g.control == control && now_ms.saturating_sub(g.last_ms) <= GESTURE_MS
        });
        let joins = joins && !self.done.is_empty();
        match self.done.last_mut().filter(|_| joins) {
            Some(step) => {
                step.made_ms = made_ms;
                step.after = after.clone();
                step.name = name(&step.before);
                if step.before == step.after {
                    self.done.pop();
                }
            }
            None => {
                let (before, after) = (before.clone(), after.clone());
                self.done.push(UndoStep { made_ms, name: name(&before), before, after });
                if self.done.len() > STEPS_MAX {
                    self.done.remove(0);
                }
            }
        }
        self.gesture = Some(Gesture { control: control.to_string(), last_ms: now_ms });
        joins
    }

    /// Undone steps can no longer be redone, but remain earlier states.
    fn set_aside(&mut self) {
        self.aside.append(&mut self.undone);
        self.aside.sort_by_key(|step| step.made_ms);
        self.aside.drain(..self.aside.len().saturating_sub(STATES_MAX));
    }

    /// Time of the latest step.
    fn last_ms(&self) -> Option<u64> {
        self.all().map(|step| step.made_ms).max()
    }

    fn all(&self) -> impl Iterator<Item = &UndoStep> {
        self.done.iter().chain(&self.undone).chain(&self.aside)
    }

    /// Ends the gesture, so that the next change is a separate step.
    pub fn end_gesture(&mut self) {
        self.gesture = None;
    }

    /// Undoes the last step and returns it.
    pub fn undo(&mut self) -> Option<UndoStep> {
        self.gesture = None;
        let step = self.done.pop()?;
        self.undone.push(step.clone());
        Some(step)
    }

    /// Redoes the last undone step and returns it.
    pub fn redo(&mut self) -> Option<UndoStep> {
        self.gesture = None;
        let step = self.undone.pop()?;
        self.done.push(step.clone());
        Some(step)
    }

    /// Name of the next step to undo.
    pub fn undo_name(&self) -> Option<&str> {
        self.done.last().map(|step| step.name.as_str())
    }

    /// Name of the next step to redo.
    pub fn redo_name(&self) -> Option<&str> {
        self.undone.last().map(|step| step.name.as_str())
    }

    /// Number of steps that can be undone.
    pub fn len(&self) -> usize {
        self.done.len()
    }

    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// The scenario before the first undo or redo step.
    fn base(&self) -> Option<&Arc<Scenario>> {
        self.done.first().or(self.undone.last()).map(|step| &step.before)
    }

    /// The states of the document other than the current one, newest first.
    pub fn states(&self, now: &Arc<Scenario>) -> Vec<EarlierState> {
        let opened = self.base().map(|scenario| EarlierState {
            made_ms: 0,
            name: OPENED.to_string(),
            scenario: scenario.clone(),
        });
        let made = self.all().map(|step| EarlierState {
            made_ms: step.made_ms,
            name: step.name.clone(),
            scenario: step.after.clone(),
        });
        let mut states: Vec<EarlierState> = made.chain(opened).filter(|state| state.scenario != *now).collect();
        states.sort_by_key(|state| std::cmp::Reverse(state.made_ms));
        states.truncate(STATES_MAX);
        states
    }

    /// The steps to store, in the order that [`History::of`] reads; limited to [`STATES_MAX`] besides the first.
    pub fn kept(&self) -> Vec<(KeptState, &Arc<Scenario>)> {
        let Some(opened) = self.base() else { return Vec::new() };
        // Prefer steps near the current state, from which the others are reached.
        let (n_undone, n_aside) = (self.undone.len().min(BESIDE_MAX), self.aside.len().min(BESIDE_MAX));
        let n_done = self.done.len().min(STATES_MAX - n_undone - n_aside);
        let first = self.done.len() - n_done;
        let base = match self.done[..first].last() {
            Some(step) => of_step(step, HistoryPosition::Base),
            None => (KeptState { made_ms: 0, name: OPENED.to_string(), place: HistoryPosition::Base }, opened),
        };
        let done = self.done[first..].iter().map(|step| of_step(step, HistoryPosition::Done));
        let undone = self.undone[self.undone.len() - n_undone..].iter().rev();
        let undone = undone.map(|step| of_step(step, HistoryPosition::Undone));
        let aside = self.aside[self.aside.len() - n_aside..].iter().map(|step| of_step(step, HistoryPosition::Aside));
        std::iter::once(base).chain(done).chain(undone).chain(aside).collect()
    }

    /// Restores a stored history; empty if it does not begin with its base.
    pub fn of(kept: Vec<(KeptState, Arc<Scenario>)>) -> History {
        let mut history = History::default();
        let mut kept = kept.into_iter();
        let Some((_, mut before)) = kept.next().filter(|(state, _)| state.place == HistoryPosition::Base) else {
            return history;
        };
        for (KeptState { made_ms, name, place }, after) in kept {
            let step = UndoStep { made_ms, name, before: before.clone(), after: after.clone() };
            match place {
                HistoryPosition::Base => return history,
                HistoryPosition::Done => history.done.push(step),
                HistoryPosition::Undone => history.undone.insert(0, step),
                HistoryPosition::Aside => {
                    history.aside.push(step);
                    continue;
                }
            }
            before = after;
        }
        history
    }
}

/// Name of a document's first state.
const OPENED: &str = "as opened";
/// Largest number of undone and of replaced steps that are stored.
const BESIDE_MAX: usize = 10;

fn of_step(step: &UndoStep, place: HistoryPosition) -> (KeptState, &Arc<Scenario>) {
    (KeptState { made_ms: step.made_ms, name: step.name.clone(), place }, &step.after)
}

/// Largest number of earlier states.
pub const STATES_MAX: usize = 30;

#[derive(Clone, Debug, PartialEq)]
pub struct EarlierState {
    /// Time of the edit, milliseconds since 1970; 0: the opened document.
    pub made_ms: u64,
    /// The edit that made it, such as *quota of team-a 2 → 4*.
    pub name: String,
    pub scenario: Arc<Scenario>,
}

/// A stored earlier state, without its scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptState {
    /// Time of the edit, also the id in the storage.
    pub made_ms: u64,
    /// The edit that made it.
    pub name: String,
    pub place: HistoryPosition,
}

/// Position of a state in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HistoryPosition {
    /// Before all undo steps.
    Base,
    /// Reached by undo, except the last, which is the current one.
    Done,
    /// Reached by redo, the nearest first.
    Undone,
    /// Undone before another change.
    Aside,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Arc<Scenario> {
        Arc::new(Scenario { name: name.to_string(), ..Scenario::default() })
    }

    fn edited(history: &mut History, from: &str, to: &str, now_ms: u64) {
        history.record("", now_ms, &named(from), &named(to), |_| format!("to {to}"));
    }

    fn again(history: &History) -> History {
        let kept = history.kept();
        History::of(kept.into_iter().map(|(state, scenario)| (state, scenario.clone())).collect())
    }

    #[test]
    fn states_are_listed_newest_first_also_what_was_undone() {
        let mut history = History::default();
        edited(&mut history, "a", "b", 10);
        edited(&mut history, "b", "c", 10);
        history.undo();
        edited(&mut history, "b", "d", 20);
        let states = history.states(&named("d"));
        let said: Vec<(&str, u64)> = states.iter().map(|s| (s.scenario.name.as_str(), s.made_ms)).collect();
        assert_eq!(said, [("c", 11), ("b", 10), ("a", 0)], "no two have the same time");
        assert_eq!(states.last().map(|state| state.name.as_str()), Some(OPENED));
        assert_eq!(History::default().states(&named("a")), []);
    }

    #[test]
    fn a_kept_history_undoes_and_redoes() {
        let mut history = History::default();
        for (at, pair) in ["ab", "bc", "cd", "de"].iter().enumerate() {
            edited(&mut history, &pair[..1], &pair[1..], at as u64);
        }
        history.undo();
        edited(&mut history, "d", "f", 9);
        history.undo();
        history.undo();
        let mut read = again(&history);
        assert_eq!(read.states(&named("c")), history.states(&named("c")));
        assert_eq!(read.redo().map(|step| step.after), Some(named("d")));
        assert_eq!(read.redo().map(|step| step.after), Some(named("f")));
        assert_eq!(read.redo(), None);
        let back: Vec<String> = std::iter::from_fn(|| read.undo()).map(|s| s.before.name.clone()).collect();
        assert_eq!(back, ["d", "c", "b", "a"]);
    }

    #[test]
    fn at_most_thirty_states_are_kept_and_what_is_damaged_is_none() {
        let mut history = History::default();
        for at in 0..50 {
            edited(&mut history, &at.to_string(), &(at + 1).to_string(), at);
        }
        assert_eq!(history.kept().len(), STATES_MAX + 1);
        assert_eq!(history.states(&named("50")).len(), STATES_MAX);
        let read = again(&history);
        assert_eq!((read.len(), read.undo_name()), (STATES_MAX, Some("to 50")));
        let kept = history.kept().into_iter().skip(1).map(|(state, scenario)| (state, scenario.clone()));
        assert!(History::of(kept.collect()).is_empty());
    }
}
