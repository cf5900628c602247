//! Division as a picture: tanks that fill.

use fairground::words::Terms;
use fairground::words::number::number;
use plotters::element::{PathElement, Rectangle, Text};

use super::view::{DivisionView, Tank};
use crate::chart::backend::text_anchor::HPos;
use crate::chart::backend::{Area, Drawn, Size, fit, picture, px};
use crate::chart::marks;
use crate::chart::paint::{Ink, Paint, Trim};

/// Height of the picture.
pub const HEIGHT: f64 = 276.0;
const TOP: f64 = 34.0;
const BASE: f64 = 216.0;
const GAP: f64 = 56.0;
/// So much room there is for a tank on average, at least.
const LEAST: f64 = 34.0;
/// The widest one.
const WIDEST: f64 = 180.0;

/// Draws Division.
pub fn division(view: &DivisionView, width: f64) -> String {
    picture("division", Size { width, height: HEIGHT }, |area| draw(area, view, width))
}

/// How tanks lie in the picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Left edge and width of each tank.
    pub tanks: Vec<(f64, f64)>,
    /// Pixels per unit of width.
    pub per_weight: f64,
    scale: f64,
}

/// Top and height of what can be taken hold of.
pub const DRAG_HANDLE: (f64, f64) = (TOP, BASE - TOP);

/// Where the tanks are at that width.
pub fn layout(view: &DivisionView, width: f64) -> Layout {
    let n = view.tanks.len() as f64;
    let weights: f64 = view.tanks.iter().map(|tank| tank.width()).sum();
    let room = (width - GAP * n - 16.0).max(LEAST * n);
    let highest = view.tanks.iter().map(|tank| tank.height(tank.lid.max(tank.held())));
    let highest = highest.filter(|h| h.is_finite()).fold(0.0, f64::max);
    let heaviest = view.tanks.iter().map(Tank::width).fold(0.0, f64::max);
    // One scale for all: a tank of twice the weight is twice as wide.
    let per_weight = if weights > 0.0 { (room / weights).min(WIDEST / heaviest) } else { LEAST };
    let mut x = 8.0;
    let mut place = |tank: &Tank| {
        let w = if weights > 0.0 { per_weight * tank.width() } else { (room / n).min(WIDEST) };
        let at = (x, w);
        x += at.1 + GAP;
        at
    };
    Layout {
        tanks: view.tanks.iter().map(&mut place).collect(),
        per_weight,
        scale: if highest > 0.0 { (BASE - TOP) / highest } else { 1.0 },
    }
}

fn draw(area: &Area<'_>, view: &DivisionView, width: f64) -> Drawn {
    let layout = layout(view, width);
    area.draw(&PathElement::new(
        vec![(0, px(BASE)), (px(width), px(BASE))],
        Paint::from(Ink::Ink).line(1.5),
    ))?;
    let terms = Terms::of(&view.policy);
    let mut priority = None;
    for (tank, &(x, w)) in view.tanks.iter().zip(&layout.tanks) {
        if tank.priority != priority && tank.priority.is_some() {
            if priority.is_some() {
                let line = vec![(px(x - 6.0), 0), (px(x - 6.0), px(BASE))];
                area.draw(&PathElement::new(line, Paint::from(Ink::Strong).trimmed(Trim::Dashed).line(1.0)))?;
            }
            let text = format!("priority {}", tank.priority.unwrap_or_default());
            area.draw(&Text::new(text, (px(x), px(8.0)), Paint::from(Ink::Soft).text(12.0, HPos::Left)))?;
        }
        priority = tank.priority.or(priority);
        draw_tank(area, tank, x, (w, layout.scale), (view.was, terms))?;
        if let Some(alternative) = &tank.alternative {
            let wide = if tank.width() > 0.0 { layout.per_weight * alternative.width() } else { w };
            draw_alternative(area, alternative, (x, wide), layout.scale)?;
        }
    }
    Ok(())
}

fn draw_tank(
    area: &Area<'_>,
    tank: &Tank,
    x: f64,
    (w, scale): (f64, f64),
    (was, terms): (bool, &Terms),
) -> Drawn {
    let y = |amount: f64| BASE - (tank.height(amount) * scale).min(BASE - TOP);
    let block = |from: f64, to: f64| [(px(x), px(y(to))), (px(x + w), px(y(from)))];
    let held = tank.ground + tank.water;
    let crossing = tank.alternative.as_ref().map(|alternative| top_of(alternative, scale));
    let lid = y(tank.lid);
    for edge in [x, x + w] {
        let side = vec![(px(edge), px(lid)), (px(edge), px(BASE))];
        area.draw(&PathElement::new(side, Paint::from(Ink::Strong).line(1.0)))?;
    }
    if tank.ground > 0.0 {
        area.draw(&Rectangle::new(block(0.0, tank.ground), marks::solid(tank.tone).area()))?;
    }
    if tank.water > 0.0 {
        area.draw(&Rectangle::new(block(tank.ground, held), Paint::from(marks::ink(tank.tone)).faint(0.55)))?;
    }
    if tank.new > 0.0 {
        let edge = Paint::from(Ink::Ink).trimmed(Trim::Changed).line(2.0);
        area.draw(&Rectangle::new(block(held - tank.new, held), edge))?;
    }
    let label = |text: String, from: f64, to: f64, ink: Ink| {
        if y(from) - y(to) < 14.0 {
            return Ok(());
        }
        let Some(text) = fit(&text, 12.0, w - 4.0) else { return Ok(()) };
        let at = (px(x + w / 2.0), px(clear_of(crossing, (y(to), y(from)))));
        area.draw(&Text::new(text, at, Paint::from(ink).trimmed(Trim::Bold).text(12.0, HPos::Center)))
    };
    label(
        format!("{} {}", terms.word("quota"), number(tank.ground)),
        0.0,
        tank.ground,
        marks::on(tank.tone),
    )?;
    label(format!("+{}", number(tank.water)), tank.ground, held, Ink::Ink)?;
    let cover = vec![(px(x - 4.0), px(lid)), (px(x + w + 4.0), px(lid))];
    area.draw(&PathElement::new(cover, Paint::from(Ink::Ink).line(2.5)))?;
    let word = if tank.is_full() { "full" } else { "asks" };
    let said = format!("{word} {}", number(tank.lid));
    area.draw(&Text::new(
        said,
        (px(x + w / 2.0), px(lid - 9.0)),
        Paint::from(Ink::Soft).text(12.0, HPos::Center),
    ))?;
    for (i, (text, paint)) in below(tank, was, terms).into_iter().enumerate() {
        let Some(text) = fit(&text, 12.0, w + GAP - 6.0) else { continue };
        let at = (px(x + w / 2.0), px(BASE + 14.0 + 17.0 * i as f64));
        area.draw(&Text::new(text, at, paint.text(12.0, HPos::Center)))?;
    }
    Ok(())
}

/// The lines below a tank: name, weight, and what its alternative gets.
fn below(tank: &Tank, was: bool, terms: &Terms) -> Vec<(String, Paint)> {
    let held_against = |now: f64, other: f64| match was {
        true => format!("{}, was {}", number(now), number(other)),
        false => format!("{} → {}", number(now), number(other)),
    };
    let weight = match (&tank.alternative, tank.part) {
        (Some(alternative), _) if alternative.weight != tank.weight => {
            held_against(tank.weight, alternative.weight)
        }
        (_, Some(part)) => format!("{} → {}", number(tank.weight), number(part)),
        _ => number(tank.weight),
    };
    let mut lines = vec![
        (tank.name.clone(), Paint::from(Ink::Ink).trimmed(Trim::Bold)),
        (format!("{} {weight}", terms.word("weight")), Paint::from(Ink::Soft)),
    ];
    // It has no area that could show it.
    if tank.width() == 0.0 && tank.held() > 0.0 {
        lines.push((format!("has {}", number(tank.held())), Paint::from(Ink::Ink)));
    }
    if let Some(alternative) = &tank.alternative {
        lines
            .push((format!("gets {}", held_against(tank.held(), alternative.held())), Paint::from(Ink::Ink)));
    }
    lines
}

/// The upper edge of an alternative.
fn top_of(alternative: &Tank, scale: f64) -> f64 {
    BASE - (alternative.height(alternative.held()) * scale).min(BASE - TOP)
}

/// Where a line of text stands in a block from top to bottom: in its middle, or aside of a line that would cross it there.
fn clear_of(crossing: Option<f64>, (top, bottom): (f64, f64)) -> f64 {
    let middle = (top + bottom) / 2.0;
    let aside = |line: f64| {
        let (above, below) = (line - LINE, line + LINE);
        let fits = |y: f64| y - 7.0 >= top && y + 7.0 <= bottom;
        [above, below]
            .into_iter()
            .filter(|y| fits(*y))
            .min_by(|a, b| (a - middle).abs().total_cmp(&(b - middle).abs()))
    };
    crossing.filter(|line| (line - middle).abs() < LINE).and_then(aside).unwrap_or(middle)
}

/// How far the middle of a text is from a line that passes it by.
const LINE: f64 = 9.0;

/// The dashed outline of what it would get, as wide as it would weigh.
fn draw_alternative(area: &Area<'_>, alternative: &Tank, (x, wide): (f64, f64), scale: f64) -> Drawn {
    let top = top_of(alternative, scale);
    let outline = [(px(x - 3.0), px(top)), (px(x + wide + 3.0), px(BASE))];
    area.draw(&Rectangle::new(outline, Paint::from(Ink::Ink).trimmed(Trim::RoundDashed).line(1.5)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_in_proportion_to_weights() {
        let tank = |weight: f64| Tank { weight, lid: 4.0, ..Tank::default() };
        for (weights, width) in [
            (vec![1.0, 2.0, 4.0], 700.0),
            (vec![1.0, 2.0, 4.0], 1_400.0),
            (vec![1.0, 2.0, 4.0], 300.0),
            (vec![0.5, 100.0], 700.0),
            (vec![0.0, 3.0], 700.0),
            (vec![0.0, 0.0], 700.0),
        ] {
            let view = DivisionView {
                tanks: weights.iter().map(|weight| tank(*weight)).collect(),
                ..DivisionView::default()
            };
            let lies = layout(&view, width);
            let widths: Vec<f64> = lies.tanks.iter().map(|tank| tank.1).collect();
            let (heaviest, widest) =
                (weights.iter().copied().fold(0.0, f64::max), widths.iter().copied().fold(0.0, f64::max));
            assert!(widest > 0.0 && widest <= WIDEST, "{widths:?}");
            for (weight, width) in weights.iter().zip(&widths).filter(|_| heaviest > 0.0) {
                assert!((width / widest - weight / heaviest).abs() < 1e-9, "{weights:?}: {widths:?}");
            }
        }
    }

    #[test]
    fn a_text_steps_aside_of_a_line_that_would_cross_it() {
        assert_eq!(clear_of(None, (0.0, 40.0)), 20.0);
        assert_eq!(clear_of(Some(5.0), (0.0, 40.0)), 20.0, "it passes by");
        assert_eq!(clear_of(Some(18.0), (0.0, 40.0)), 27.0);
        assert_eq!(clear_of(Some(22.0), (0.0, 40.0)), 13.0);
        assert_eq!(clear_of(Some(8.0), (0.0, 15.0)), 7.5, "there is no room beside it");
    }
}
