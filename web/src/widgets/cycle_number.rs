//! A cycle as it is typed.

/// What is said of a text that is no cycle.
pub const NO_CYCLE: &str = "Enter a whole number, such as 12.";

/// The cycle that a text means, if it means one.
pub fn number_of(text: &str) -> Option<u32> {
    text.trim().parse().ok()
}
