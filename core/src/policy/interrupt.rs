//! Ending a cycle early.

use std::fmt;
use std::rc::Rc;

/// Tells a cycle that its result is no longer wanted. Policies ask in their longest loops and leave them; the simulation
/// discards what they return. By default no cycle is interrupted.
#[derive(Clone, Default)]
pub struct Interrupt(Option<Rc<dyn Fn() -> bool>>);

impl Interrupt {
    /// An interrupt that is raised once `is_raised` returns true, which it has to do until the cycle is over.
    pub fn new(is_raised: impl Fn() -> bool + 'static) -> Interrupt {
        Interrupt(Some(Rc::new(is_raised)))
    }

    /// Whether the current cycle is to end.
    pub fn is_raised(&self) -> bool {
        self.0.as_ref().is_some_and(|is_raised| is_raised())
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupt")
    }
}

/// States are equal whatever may interrupt them.
impl PartialEq for Interrupt {
    fn eq(&self, _: &Interrupt) -> bool {
        true
    }
}
