//! Coordinate system of Timeline: its axes, and the corners of step lines.

use plotters::chart::ChartContext;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::Cartesian2d;

use super::view::TimelineView;
use crate::chart::backend::Svg;

/// A range of numbers with given key points.
pub struct Ticked {
    range: RangedCoordf64,
    ticks: Vec<f64>,
}

impl Ticked {
    pub(super) fn new(range: std::ops::Range<f64>, ticks: Vec<f64>) -> Ticked {
        Ticked { range: range.into(), ticks }
    }
}

impl Ranged for Ticked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;
    fn range(&self) -> std::ops::Range<f64> {
        self.range.range()
    }
    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.range.map(value, limit)
    }
    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.clone()
    }
}

/// Coordinate system of the areas: cycles and amounts.
pub type Plane<'a, 'b> = ChartContext<'b, Svg<'a>, Cartesian2d<Ticked, Ticked>>;

/// Corners of a step line: each value holds from its cycle to the next one.
pub(super) fn steps(view: &TimelineView, values: &[f64]) -> Vec<(f64, f64)> {
    corners(view.max, &view.cycles, values, view.last)
}

pub(super) fn corners(max: f64, cycles: &[u32], values: &[f64], last: u32) -> Vec<(f64, f64)> {
    let mut corners = Vec::with_capacity(values.len() * 2);
    for (i, value) in values.iter().enumerate() {
        let from = f64::from(cycles[i]) - 0.5;
        let to = cycles.get(i + 1).map_or(f64::from(last) + 0.5, |next| f64::from(*next) - 0.5);
        let value = value.min(max);
        if corners.last().is_some_and(|last: &(f64, f64)| last.1 == value) {
            corners.pop();
        } else {
            corners.push((from, value));
        }
        corners.push((to, value));
    }
    corners
}
