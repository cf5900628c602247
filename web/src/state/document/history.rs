//! Undo and redo: scenarios as they were, each with the name of the change that followed.

use std::sync::Arc;

use fairground::scenario::Scenario;

/// Most steps that can be taken back.
pub const STEPS_MAX: usize = 200;
/// Changes of one control within this time are one step.
pub const GESTURE_MS: u64 = 500;

/// A change that can be taken back.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// *quota of team-a 2 → 4*.
    pub name: String,
    /// The scenario before it.
    pub before: Arc<Scenario>,
    /// The scenario after it.
    pub after: Arc<Scenario>,
}

/// A gesture that is still going on: the last step grows with it.
#[derive(Clone, Debug, PartialEq)]
struct Gesture {
    control: String,
    last_ms: u64,
}

/// Steps that can be taken back or made again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    done: Vec<Step>,
    undone: Vec<Step>,
    gesture: Option<Gesture>,
}

impl History {
    /// Records a change by `control` (empty: never joined with others). The name is made from the scenario
    /// before the whole gesture. Tells whether the change became part of the step before it.
    pub fn record(
        &mut self,
        control: &str,
        now_ms: u64,
        before: &Arc<Scenario>,
        after: &Arc<Scenario>,
        name: impl FnOnce(&Scenario) -> String,
    ) -> bool {
        self.undone.clear();
        let joins = self.gesture.as_ref().is_some_and(|g| {
            !control.is_empty() && g.control == control && now_ms.saturating_sub(g.last_ms) <= GESTURE_MS
        });
        let joins = joins && !self.done.is_empty();
        match self.done.last_mut().filter(|_| joins) {
            Some(step) => {
                step.after = after.clone();
                step.name = name(&step.before);
                if step.before == step.after {
                    self.done.pop();
                }
            }
            None => {
                self.done.push(Step { name: name(before), before: before.clone(), after: after.clone() });
                if self.done.len() > STEPS_MAX {
                    self.done.remove(0);
                }
            }
        }
        self.gesture = Some(Gesture { control: control.to_string(), last_ms: now_ms });
        joins
    }

    /// The next change is a step of its own.
    pub fn end_gesture(&mut self) {
        self.gesture = None;
    }

    /// Takes the last step back; gives it.
    pub fn undo(&mut self) -> Option<Step> {
        self.gesture = None;
        let step = self.done.pop()?;
        self.undone.push(step.clone());
        Some(step)
    }

    /// Makes the last undone step again; gives it.
    pub fn redo(&mut self) -> Option<Step> {
        self.gesture = None;
        let step = self.undone.pop()?;
        self.done.push(step.clone());
        Some(step)
    }

    /// The name of the step that undo would take back.
    pub fn undo_name(&self) -> Option<&str> {
        self.done.last().map(|step| step.name.as_str())
    }

    /// The name of the step that redo would make.
    pub fn redo_name(&self) -> Option<&str> {
        self.undone.last().map(|step| step.name.as_str())
    }

    /// How many steps can be taken back.
    pub fn len(&self) -> usize {
        self.done.len()
    }

    /// Whether there is nothing to take back.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }
}
