//! A simulation between two cycles, kept to go back to.
//!
//! # Rule
//! What the plan says already is shared; of the world only the changing parts are kept. Law: `resume` followed by `n` times `advance`
//! equals `n` times `advance`, digests included.

use std::sync::Arc;

use super::simulation::{Fixed, PodHashes, Simulation, State};
use crate::cluster::Frozen;

/// A simulation between two cycles, kept to go back to.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    fixed: Arc<Fixed>,
    world: Frozen,
    state: State,
}

impl Simulation {
    /// A copy of everything that changes, to go back to.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { fixed: self.fixed.clone(), world: self.world.freeze(), state: self.state.clone() }
    }

    /// Goes on from a copy. Law: the same cycles follow, digests included.
    pub fn resume(checkpoint: &Checkpoint) -> Simulation {
        let Checkpoint { fixed, world, state } = checkpoint;
        let world = fixed.opening.thaw(world);
        let hashes = PodHashes::new(&world);
        Simulation { fixed: fixed.clone(), world, hashes, state: state.clone() }
    }
}

impl Checkpoint {
    /// The cycle after which it was taken.
    pub fn cycle(&self) -> u32 {
        self.state.cycle
    }
    /// How much had changed since the start, in bytes.
    pub(super) fn changed_bytes(&self) -> u64 {
        self.state.changed_bytes()
    }
    /// What the copy weighs, about, in bytes.
    pub fn weight(&self) -> u64 {
        self.world.weight() + self.state.agenda.weight()
    }
}
