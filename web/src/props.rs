//! Types of component properties. Components that draw a moment get signals and callbacks; they depend on neither the
//! store nor commands.
//!
//! - `Shares { frame, alternative, selection, resource, on_select }`
//! - `ClusterView { frame, alternative, selection, resource, on_select }`
//! - `Timeline { run, frame, selection, resource, on_seek, on_select, below }`
//! - `Why { explanation, on_select }`, `WhyEvidence { explanation, on_select, on_focus_field, on_seek }`

use std::sync::Arc;

use fairground::scenario::Path;
use fairground::words::{Ladder, Order, Selection};
use leptos::prelude::*;

use crate::engine::protocol::{Frame, Rulebook, Run};

/// The moment under the cursor, or the same moment of another run.
pub type FrameSignal = Signal<Option<Arc<Frame>>>;
/// Summary of a run.
pub type RunSignal = Signal<Option<Arc<Run>>>;
pub type SelectionSignal = Signal<Option<Selection>>;
/// The resource of all charts: 0 cpu, 1 memory, 2 gpu.
pub type ResourceSignal = Signal<u8>;
/// Explanation of the selected queue's fair share at the cursor, once it has arrived.
pub type LadderSignal = Signal<Option<Arc<Ladder>>>;
/// The serving order around the selection, once it has arrived.
pub type OrderSignal = Signal<Option<Arc<Order>>>;
/// The rule book of the policy, once it has been requested.
pub type RulesSignal = Signal<Option<Arc<Rulebook>>>;
pub type OnSelect = Callback<Option<Selection>>;
pub type OnSeek = Callback<u32>;
/// Focuses the field in SETUP that edits a value of the scenario, such as `queues["team-a"].gpu.quota`.
pub type OnFocusField = Callback<Path>;
