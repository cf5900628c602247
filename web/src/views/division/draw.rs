//! Division as a picture: tanks that fill.

use fairground::trace::Quantity;
use fairground::words::Terms;
use fairground::words::number::number;
use plotters::element::{PathElement, Rectangle, Text};

use super::view::{DivisionView, Tank};
use crate::chart::backend::text_anchor::HPos;
use crate::chart::backend::{Area, Drawn, Size, fit, picture, px, text_width};
use crate::chart::marks;
use crate::chart::paint::{Fill, Ink, Paint, Trim};

/// Minimum and maximum height of the picture.
pub const HEIGHTS: (f64, f64) = (276.0, 620.0);
/// Maximum gap between two tanks, and maximum fraction of the width for all gaps.
const GAP: (f64, f64) = (48.0, 0.35);
/// Left and right margin.
const MARGIN: f64 = 8.0;

/// Draws Division.
pub fn division(view: &DivisionView, size: Size) -> String {
    picture("division", size, |area| draw(area, view, size))
}

/// Positions of tanks in the picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Left edge and width of each tank.
    pub tanks: Vec<(f64, f64)>,
    /// Pixels per unit of width for each tank: equal for all, unless priorities have scales of their own.
    pub per_weight: Vec<f64>,
    /// Upper end of the highest tank.
    pub top: f64,
    /// Lower end of the tanks.
    pub base: f64,
    gap: f64,
    scale: f64,
    font: f64,
}

impl Layout {
    /// Vertical position of an amount in a tank.
    fn y(&self, tank: &Tank, amount: f64) -> f64 {
        self.base - (tank.height(amount) * self.scale).min(self.base - self.top)
    }
}

/// Font size for a picture of this size.
fn font(size: Size) -> f64 {
    match size {
        Size { width, .. } if width < 440.0 => 12.0,
        Size { height, .. } if height < 330.0 => 13.0,
        Size { height, .. } if height < 460.0 => 15.0,
        _ => 17.0,
    }
}

/// Number of gaps; a change of priority counts twice.
fn gaps(tanks: &[Tank]) -> f64 {
    let changes = tanks.windows(2).filter(|pair| is_later(&pair[0], &pair[1])).count();
    (tanks.len().saturating_sub(1) + changes) as f64
}

/// Whether the second tank has a lower priority than the first.
fn is_later(before: &Tank, tank: &Tank) -> bool {
    before.priority != tank.priority && tank.priority.is_some() && before.priority.is_some()
}

/// Largest height shown, as the height of an amount in a tank; larger requests are cut off.
fn highest(tanks: &[Tank]) -> f64 {
    let of = |amount: fn(&Tank) -> f64| {
        let heights = tanks.iter().map(|tank| tank.height(amount(tank)));
        heights.filter(|h| h.is_finite()).fold(0.0, f64::max)
    };
    let (gets, asks) = (of(|tank| tank.gets.max(tank.held())), of(|tank| tank.lid));
    if gets > 0.0 { asks.clamp(gets, 1.5 * gets) } else { asks }
}

/// If a common scale makes a tank narrower than this, each priority gets its own: levels are compared within a
/// priority.
const NARROW: f64 = 20.0;

/// Pixels per unit of width for each tank, so that all tanks fill the available width.
fn scales(tanks: &[Tank], room: f64) -> Vec<f64> {
    let scale = |of: &[Tank], room: f64| {
        let weights: f64 = of.iter().map(Tank::width).sum();
        room / if weights > 0.0 { weights } else { of.len().max(1) as f64 }
    };
    let one = scale(tanks, room);
    let is_narrow = |tank: &Tank| tank.width() > 0.0 && tank.width() * one < NARROW;
    if !tanks.iter().any(is_narrow) {
        return vec![one; tanks.len()];
    }
    let of_priority = tanks.chunk_by(|before, tank| !is_later(before, tank));
    let scales = of_priority.flat_map(|of| {
        let own = scale(of, room * of.len() as f64 / tanks.len() as f64);
        std::iter::repeat_n(own, of.len())
    });
    scales.collect()
}

/// Lays out the tanks over the whole width; a tank of twice the weight is twice as wide.
pub fn layout(view: &DivisionView, size: Size) -> Layout {
    let font = font(size);
    let (top, base) = (2.0 * (font + 5.0), size.height - 3.5 * (font + 5.0));
    let gaps = gaps(&view.tanks);
    let gap = if gaps > 0.0 { GAP.0.min(size.width * GAP.1 / gaps) } else { 0.0 };
    let room = (size.width - gap * gaps - 2.0 * MARGIN).max(view.tanks.len() as f64);
    let per_weight = scales(&view.tanks, room);
    let has_weights = view.tanks.iter().any(|tank| tank.width() > 0.0);
    let mut x = MARGIN;
    let mut tanks = Vec::new();
    for (at, (tank, scale)) in view.tanks.iter().zip(&per_weight).enumerate() {
        if at > 0 {
            x += if is_later(&view.tanks[at - 1], tank) { 2.0 * gap } else { gap };
        }
        let w = if has_weights { scale * tank.width() } else { *scale };
        tanks.push((x, w));
        x += w;
    }
    let highest = highest(&view.tanks);
    let scale = if highest > 0.0 { (base - top) / highest } else { 1.0 };
    Layout { tanks, per_weight, top, base, gap, scale, font }
}

/// Where a number of a tank is drawn, in pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    pub quantity: Quantity,
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

/// Thickness of the spot of a level.
const LEVEL: f64 = 10.0;

/// The numbers of a tank: granted quota, assigned total, request and weight.
pub fn spots(tank: &Tank, (left, width): (f64, f64), layout: &Layout) -> Vec<Spot> {
    let line = layout.font + 5.0;
    let spot = |quantity, top: f64, bottom: f64| Spot { quantity, left, top, width, height: bottom - top };
    let level = |quantity, amount: f64| {
        let y = layout.y(tank, amount);
        spot(quantity, y - LEVEL / 2.0, y + LEVEL / 2.0)
    };
    vec![
        spot(Quantity::Quota, layout.y(tank, tank.ground), layout.base),
        spot(Quantity::Weight, layout.base + line, layout.base + 2.0 * line),
        level(Quantity::Request, tank.lid),
        level(Quantity::FairShare, tank.held()),
    ]
}

fn draw(area: &Area<'_>, view: &DivisionView, size: Size) -> Drawn {
    let layout = layout(view, size);
    let ground = vec![(0, px(layout.base)), (px(size.width), px(layout.base))];
    area.draw(&PathElement::new(ground, Paint::from(Ink::Ink).line(1.5)))?;
    let terms = Terms::of(&view.policy);
    for (at, (tank, &(x, w))) in view.tanks.iter().zip(&layout.tanks).enumerate() {
        let before = at.checked_sub(1).map(|before| &view.tanks[before]);
        let end = (at + 1..layout.tanks.len()).find(|next| is_later(tank, &view.tanks[*next]));
        let end = end.map_or(size.width, |next| layout.tanks[next].0 - layout.gap);
        draw_priority(area, before, tank, (x, end), &layout)?;
        draw_tank(area, tank, x, w, &layout)?;
        draw_labels(area, tank, (x, w), &layout, (view.was, terms))?;
        if let Some(alternative) = &tank.alternative {
            let wide = if tank.width() > 0.0 { layout.per_weight[at] * alternative.width() } else { w };
            draw_alternative(area, alternative, (x, wide), &layout)?;
        }
    }
    Ok(())
}

/// Draws the name of a priority above its first tank, after a separator; its tanks end at `end`.
fn draw_priority(area: &Area<'_>, before: Option<&Tank>, tank: &Tank, (x, end): (f64, f64), layout: &Layout) -> Drawn {
    let Some(priority) = tank.priority else { return Ok(()) };
    let is_first = before.is_none();
    if !is_first && !before.is_some_and(|before| is_later(before, tank)) {
        return Ok(());
    }
    if !is_first {
        let at = x - layout.gap;
        let line = vec![(px(at), 0), (px(at), px(layout.base))];
        area.draw(&PathElement::new(line, Paint::from(Ink::Strong).trimmed(Trim::Dashed).line(1.0)))?;
    }
    let x = if is_first { x } else { x - layout.gap + 6.0 };
    let font = layout.font - 1.0;
    let (short, long) = (format!("priority {priority}"), format!("priority {priority} · only what is left"));
    let has_room = !is_first && x + text_width(&long, font) <= end;
    let at = (px(x), px(layout.font * 0.6));
    let paint = Paint::from(Ink::Soft).text(font, HPos::Left);
    area.draw(&Text::new(if has_room { long } else { short }, at, paint))
}

fn draw_tank(area: &Area<'_>, tank: &Tank, x: f64, w: f64, layout: &Layout) -> Drawn {
    let y = |amount: f64| layout.y(tank, amount);
    let block = |from: f64, to: f64| [(px(x), px(y(to))), (px(x + w), px(y(from)))];
    let held = tank.held();
    for edge in [x, x + w] {
        let side = vec![(px(edge), px(y(tank.lid))), (px(edge), px(layout.base))];
        area.draw(&PathElement::new(side, Paint::from(Ink::Strong).line(1.0)))?;
    }
    if tank.ground > 0.0 {
        area.draw(&Rectangle::new(block(0.0, tank.ground), marks::solid(tank.tone).area()))?;
    }
    let water = Paint::from(marks::ink(tank.tone)).filled(Fill::Water);
    let mut level = tank.ground;
    for wave in &tank.waves {
        area.draw(&Rectangle::new(block(level, level + wave), water.area()))?;
        level += wave;
        let surface = vec![(px(x), px(y(level))), (px(x + w), px(y(level)))];
        area.draw(&PathElement::new(surface, Paint::from(marks::ink(tank.tone)).line(1.5)))?;
    }
    if tank.new > 0.0 {
        let edge = Paint::from(Ink::Ink).trimmed(Trim::Changed).line(2.0);
        area.draw(&Rectangle::new(block(held - tank.new, held), edge))?;
    }
    Ok(())
}

/// Draws the labels in, on and below a tank.
fn draw_labels(
    area: &Area<'_>,
    tank: &Tank,
    (x, w): (f64, f64),
    layout: &Layout,
    (was, terms): (bool, &Terms),
) -> Drawn {
    let y = |amount: f64| layout.y(tank, amount);
    let (middle, font) = (px(x + w / 2.0), layout.font);
    let crossing = tank.alternative.as_ref().map(|alternative| layout.y(alternative, alternative.held()));
    let label = |text: String, from: f64, to: f64, ink: Ink| {
        if y(from) - y(to) < font + 2.0 {
            return Ok(());
        }
        let Some(text) = fit(&text, font, w - 4.0) else { return Ok(()) };
        let at = (middle, px(clear_of(crossing, (y(to), y(from)))));
        area.draw(&Text::new(text, at, Paint::from(ink).trimmed(Trim::Bold).text(font, HPos::Center)))
    };
    let quota = match tank.quota.filter(|quota| quota.is_finite()) {
        Some(quota) => format!("{} of {} {}", number(tank.ground), terms.word("quota"), number(quota)),
        None => format!("{} {}", terms.word("quota"), number(tank.ground)),
    };
    label(quota, 0.0, tank.ground, marks::on(tank.tone))?;
    let mut level = tank.ground;
    for wave in &tank.waves {
        label(format!("+{}", number(*wave)), level, level + wave, Ink::Ink)?;
        level += wave;
    }
    draw_lid(area, tank, (x, w), layout)?;
    for (i, (text, paint)) in below(tank, was, terms).into_iter().enumerate() {
        let Some(text) = fit(&text, font, w + layout.gap - 6.0) else { continue };
        let at = (middle, px(layout.base + (font + 5.0) * (i as f64 + 0.85)));
        area.draw(&Text::new(text, at, paint.text(font, HPos::Center)))?;
    }
    Ok(())
}

/// Draws the request of a tank as its lid; none if the request exceeds the picture.
fn draw_lid(area: &Area<'_>, tank: &Tank, (x, w): (f64, f64), layout: &Layout) -> Drawn {
    let lid = layout.y(tank, tank.lid);
    let is_cut = tank.height(tank.lid) * layout.scale > layout.base - layout.top + 0.5;
    if !is_cut {
        let cover = vec![(px(x - 4.0), px(lid)), (px(x + w + 4.0), px(lid))];
        area.draw(&PathElement::new(cover, Paint::from(Ink::Ink).line(2.5)))?;
    }
    let middle = px(x + w / 2.0);
    let above = |y: f64| px(y - layout.font * 0.75);
    let surface = layout.y(tank, tank.held());
    let bold = Paint::from(Ink::Ink).trimmed(Trim::Bold).text(layout.font, HPos::Center);
    let soft = Paint::from(Ink::Soft).text(layout.font, HPos::Center);
    let has_room = surface - lid > 2.0 * layout.font;
    let held = number(tank.held());
    let (said, paint) = match tank.is_full() {
        true if tank.lid <= 0.0 => ("requests nothing".to_string(), soft),
        true => (format!("gets all {held}"), bold.clone()),
        false if has_room => (format!("requests {}{}", number(tank.lid), if is_cut { " ↑" } else { "" }), soft),
        false => (format!("{held} of {}", number(tank.lid)), bold.clone()),
    };
    if has_room && let Some(held) = fit(&held, layout.font, w) {
        area.draw(&Text::new(held, (middle, above(surface)), bold))?;
    }
    let Some(said) = fit(&said, layout.font, w + layout.gap) else { return Ok(()) };
    area.draw(&Text::new(said, (middle, above(lid)), paint))
}

/// Lines below a tank: name, weight, and the result in the alternative.
fn below(tank: &Tank, was: bool, terms: &Terms) -> Vec<(String, Paint)> {
    let held_against = |now: f64, other: f64| {
        if was {
            format!("{}, was {}", number(now), number(other))
        } else {
            format!("{} → {}", number(now), number(other))
        }
    };
    let weight = match (&tank.alternative, tank.part) {
        (Some(alternative), _) if alternative.weight != tank.weight => held_against(tank.weight, alternative.weight),
        (_, Some(part)) => format!("{} → {}", number(tank.weight), number(part)),
        _ => number(tank.weight),
    };
    let mut lines = vec![
        (tank.name.clone(), Paint::from(Ink::Ink).trimmed(Trim::Bold)),
        (format!("{} {weight}", terms.word("weight")), Paint::from(Ink::Soft)),
    ];
    // Without width, no area shows the amount.
    if tank.width() == 0.0 && tank.held() > 0.0 {
        lines.push((format!("has {}", number(tank.held())), Paint::from(Ink::Ink)));
    }
    if let Some(alternative) = &tank.alternative {
        lines.push((format!("gets {}", held_against(tank.held(), alternative.held())), Paint::from(Ink::Ink)));
    }
    lines
}

/// Vertical position of a text in a block: centred, or clear of a line that would cross it there.
fn clear_of(crossing: Option<f64>, (top, bottom): (f64, f64)) -> f64 {
    let middle = (top + bottom) / 2.0;
    let aside = |line: f64| {
        let (above, below) = (line - LINE, line + LINE);
        let fits = |y: f64| y - 7.0 >= top && y + 7.0 <= bottom;
        [above, below].into_iter().filter(|y| fits(*y)).min_by(|a, b| (a - middle).abs().total_cmp(&(b - middle).abs()))
    };
    crossing.filter(|line| (line - middle).abs() < LINE).and_then(aside).unwrap_or(middle)
}

/// Minimum distance between the centre of a text and a line.
const LINE: f64 = 9.0;

/// Draws the dashed outline of the alternative, with its own width.
fn draw_alternative(area: &Area<'_>, alternative: &Tank, (x, wide): (f64, f64), layout: &Layout) -> Drawn {
    let top = layout.y(alternative, alternative.held());
    let outline = [(px(x - 3.0), px(top)), (px(x + wide + 3.0), px(layout.base))];
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
            let view =
                DivisionView { tanks: weights.iter().map(|weight| tank(*weight)).collect(), ..DivisionView::default() };
            let lies = layout(&view, Size { width, height: 300.0 });
            let widths: Vec<f64> = lies.tanks.iter().map(|tank| tank.1).collect();
            let (heaviest, widest) =
                (weights.iter().copied().fold(0.0, f64::max), widths.iter().copied().fold(0.0, f64::max));
            let right = lies.tanks.last().map_or(0.0, |(x, w)| x + w);
            assert!((right - (width - MARGIN)).abs() < 1e-9, "they fill {width}: {right}");
            for (weight, width) in weights.iter().zip(&widths).filter(|_| heaviest > 0.0) {
                assert!((width / widest - weight / heaviest).abs() < 1e-9, "{weights:?}: {widths:?}");
            }
        }
    }

    #[test]
    fn a_change_of_priority_takes_room_and_large_requests_are_cut() {
        let tank = |priority: i32, lid: f64, gets: f64| Tank {
            weight: 1.0,
            priority: Some(priority),
            lid,
            gets,
            ..Tank::default()
        };
        let tanks = vec![tank(100, 400.0, 4.0), tank(100, 4.0, 4.0), tank(50, 1.0, 0.0)];
        let lies = layout(&DivisionView { tanks, ..DivisionView::default() }, Size { width: 700.0, height: 300.0 });
        let gap = |at: usize| lies.tanks[at + 1].0 - lies.tanks[at].0 - lies.tanks[at].1;
        assert!((gap(1) - 2.0 * gap(0)).abs() < 1e-9, "{lies:?}");
        let tanks = [tank(100, 4.0, 4.0), Tank { weight: 100.0, ..tank(50, 4.0, 0.0) }];
        let apart = layout(
            &DivisionView { tanks: tanks.into(), ..DivisionView::default() },
            Size { width: 700.0, height: 300.0 },
        );
        assert_eq!(
            apart.tanks[0].1, apart.tanks[1].1,
            "a priority has a scale of its own where it would be too narrow"
        );
        let full = (lies.base - lies.top) / 1.5;
        assert!((4.0 * lies.scale - full).abs() < 1e-9, "what it gets takes two thirds: {lies:?}");
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
