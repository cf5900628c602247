//! The types of what components are given. Components that draw a moment are plain: they get signals and
//! callbacks, know no store and raise no commands.
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

/// The moment under the cursor, or the same moment of the scenario as it is being edited.
pub type FrameSignal = Signal<Option<Arc<Frame>>>;
/// The run in short.
pub type RunSignal = Signal<Option<Arc<Run>>>;
/// What is selected.
pub type SelectionSignal = Signal<Option<Selection>>;
/// The resource that all charts show: 0 cpu, 1 memory, 2 gpu.
pub type ResourceSignal = Signal<u8>;
/// How the fair share of the selected queue came about at the cursor, once it has arrived.
pub type LadderSignal = Signal<Option<Arc<Ladder>>>;
/// Where what is selected stands, once it has arrived.
pub type OrderSignal = Signal<Option<Arc<Order>>>;
/// The rules of the policy, once somebody looked one up.
pub type RulesSignal = Signal<Option<Arc<Rulebook>>>;
/// Selects something, or nothing.
pub type OnSelect = Callback<Option<Selection>>;
/// Moves the cursor to a cycle.
pub type OnSeek = Callback<u32>;
/// Puts the focus on the field of SETUP where a value of the scenario is edited, such as
/// `queues["team-a"].gpu.quota`.
pub type OnFocusField = Callback<Path>;
