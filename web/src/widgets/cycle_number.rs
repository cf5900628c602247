//! Parsing of cycle numbers.

/// Error for a text that is not a cycle number.
pub const NO_CYCLE: &str = "Enter a whole number, such as 12.";

/// Parses a cycle number.
pub fn number_of(text: &str) -> Option<u32> {
    text.trim().parse().ok()
}
