//! Ends and ticks of scales.

/// Round values for an axis from 0 to `max`, at most `most` of them above 0.
pub fn ticks(max: f64, most: usize) -> Vec<f64> {
    if max <= 0.0 || !max.is_finite() {
        return vec![0.0];
    }
    let rough = max / most.max(1) as f64;
    let power = 10f64.powi(rough.log10().floor() as i32);
    let candidates = [1.0, 2.0, 4.0, 5.0, 8.0, 10.0];
    let step = candidates.iter().map(|c| c * power).find(|step| *step >= rough * 0.999).unwrap_or(10.0 * power);
    let step = if max >= 2.0 && step < 1.0 { 1.0 } else { step };
    (0..=(max / step + 1e-9).floor() as usize).map(|i| i as f64 * step).collect()
}

/// Round integers from `first` to `last`, at most `most` after the first.
pub fn ticks_between(first: u32, last: u32, most: usize) -> Vec<f64> {
    let step = ticks(f64::from(last.saturating_sub(first)), most).get(1).map_or(1, |step| step.max(1.0) as u32);
    (first.div_ceil(step)..=last / step).map(|tick| f64::from(tick * step)).collect()
}

/// Possible ends of a scale; few, so that the scale does not change with every step.
const ENDS: [u32; 16] = [12, 20, 30, 40, 60, 80, 100, 150, 200, 300, 400, 600, 800, 1000, 1500, 2000];

/// End of the scale for a run that has reached cycle `last`.
pub fn end_of(last: u32) -> u32 {
    ENDS.into_iter().find(|end| *end >= last).unwrap_or_else(|| last.div_ceil(1000).saturating_mul(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(5.0, 6), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(ticks(43.0, 6), [0.0, 8.0, 16.0, 24.0, 32.0, 40.0]);
        assert_eq!(ticks(0.0, 6), [0.0]);
        assert_eq!(ticks_between(0, 43, 6), [0.0, 8.0, 16.0, 24.0, 32.0, 40.0]);
        assert_eq!(ticks_between(13, 33, 6), [16.0, 20.0, 24.0, 28.0, 32.0]);
    }
}
