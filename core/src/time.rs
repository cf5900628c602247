//! Simulated time: milliseconds since the scenario's start.

use serde::{Deserialize, Serialize};

use std::ops::{Add, Sub};

/// A point in time, in milliseconds since the scenario's start; negative before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Time(i64);

/// The difference of two times, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(i64);

impl Time {
    /// The scenario's start.
    pub const ZERO: Time = Time(0);
    /// Milliseconds since the start.
    pub const fn from_millis(ms: i64) -> Self {
        Time(ms)
    }
    /// Whole seconds since the start.
    pub const fn from_seconds(s: i64) -> Self {
        Time(s * 1000)
    }
    /// Milliseconds since the start.
    pub const fn as_millis(self) -> i64 {
        self.0
    }
    /// Seconds since the start.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

impl Span {
    /// Zero duration.
    pub const ZERO: Span = Span(0);
    /// Milliseconds.
    pub const fn from_millis(ms: i64) -> Self {
        Span(ms)
    }
    /// Whole seconds.
    pub const fn from_seconds(s: i64) -> Self {
        Span(s * 1000)
    }
    /// Milliseconds.
    pub const fn as_millis(self) -> i64 {
        self.0
    }
    /// Seconds.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

impl Add<Span> for Time {
    type Output = Time;
    fn add(self, span: Span) -> Time {
        Time(self.0 + span.0)
    }
}
impl Sub<Time> for Time {
    type Output = Span;
    fn sub(self, other: Time) -> Span {
        Span(self.0 - other.0)
    }
}
impl Sub<Span> for Time {
    type Output = Time;
    fn sub(self, span: Span) -> Time {
        Time(self.0 - span.0)
    }
}
impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0 + other.0)
    }
}
