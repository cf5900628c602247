//! Pinch gestures with two fingers.

/// Fingers on the surface: pointer id and position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pinch(Vec<(i32, f64)>);

/// Smaller movements are ignored, in pixels.
const LEAST: f64 = 4.0;
/// Closer fingers do not determine a factor, in pixels.
const NEAR: f64 = 16.0;

impl Pinch {
    /// Adds a finger. With more than two, the latest ones count.
    pub fn put(&mut self, id: i32, x: f64) {
        self.remove(id);
        self.0.push((id, x));
        if self.0.len() > 2 {
            self.0.remove(0);
        }
    }

    /// Removes a finger.
    pub fn remove(&mut self, id: i32) {
        self.0.retain(|finger| finger.0 != id);
    }

    /// Midpoint between two fingers.
    pub fn middle(&self) -> Option<f64> {
        let [(_, one), (_, other)] = self.0.as_slice() else { return None };
        Some((one + other) / 2.0)
    }

    /// Moves a finger. Returns the factor for the length of the window if two fingers are down and it moved far enough.
    pub fn moved(&mut self, id: i32, x: f64) -> Option<f64> {
        let before = self.distance()?;
        let finger = self.0.iter_mut().find(|finger| finger.0 == id)?;
        let was = std::mem::replace(&mut finger.1, x);
        let now = self.distance()?;
        if (now - before).abs() < LEAST {
            self.0.iter_mut().filter(|finger| finger.0 == id).for_each(|finger| finger.1 = was);
            return None;
        }
        Some(before / now)
    }

    fn distance(&self) -> Option<f64> {
        let [(_, one), (_, other)] = self.0.as_slice() else { return None };
        Some((one - other).abs().max(NEAR))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingers_that_part_show_less() {
        let mut pinch = Pinch::default();
        pinch.put(1, 100.0);
        assert_eq!((pinch.middle(), pinch.moved(1, 50.0)), (None, None), "one finger is none");
        pinch.put(1, 100.0);
        pinch.put(2, 200.0);
        assert_eq!(pinch.middle(), Some(150.0));
        assert_eq!(pinch.moved(2, 202.0), None, "too little");
        assert_eq!(pinch.moved(2, 300.0), Some(0.5));
        assert_eq!(pinch.moved(1, 250.0), Some(4.0));
        pinch.put(3, 0.0);
        assert_eq!(pinch.middle(), Some(150.0), "the first of three does not count");
        pinch.remove(3);
        assert_eq!(pinch.middle(), None);
    }
}
