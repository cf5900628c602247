//! One chart, drawn as SVG text by plotters.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

/// Width and height of the drawing.
const SIZE: (u32, u32) = (320, 120);

/// Horizontal bars with their names.
pub fn bars(rows: &[(&str, f64)]) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        draw(&area, rows).expect("drawing into a string does not fail");
    }
    svg
}

fn draw(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    rows: &[(&str, f64)],
) -> Result<(), Box<dyn std::error::Error>> {
    let most = rows.iter().map(|row| row.1).fold(1.0, f64::max);
    let plane = area.apply_coord_spec(Cartesian2d::<RangedCoordf64, RangedCoordf64>::new(
        0.0..most,
        0.0..rows.len() as f64,
        (0..SIZE.0 as i32, 0..SIZE.1 as i32),
    ));
    for (i, (name, value)) in rows.iter().enumerate() {
        let top = i as f64;
        plane.draw(&Rectangle::new([(0.0, top + 0.1), (*value, top + 0.9)], BLUE.mix(0.4).filled()))?;
        plane.draw(&Text::new((*name).to_owned(), (0.05, top + 0.4), ("sans-serif", 14)))?;
    }
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::bars;

    #[test]
    fn every_bar_has_its_name() {
        let svg = bars(&[("research", 3.0), ("product", 1.0)]);
        assert!(svg.starts_with("<svg") && svg.contains("research") && svg.contains("product"), "{svg}");
    }
}
