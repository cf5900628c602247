//! Cluster as a picture, with the names of jobs in its cells.

use std::collections::{BTreeMap, BTreeSet};

use plotters::element::{PathElement, Polygon, Rectangle, Text};
use plotters::style::ShapeStyle;

use super::cards::{Card, CellMark, CellView, ClusterView, Part, Rect, slice};
use super::selected_cells::SelectedCells;
use crate::chart::backend::text_anchor::HPos;
use crate::chart::backend::{Area, Drawn, Size, fit, picture, px, text_width};
use crate::chart::marks::{self, draw_lock};
use crate::chart::paint::{Fill, Ink, Paint, Trim};

/// Draws Cluster.
pub fn cluster(view: &ClusterView) -> String {
    picture("cluster", Size { width: view.width, height: view.height }, |area| {
        for (y, heading) in &view.groups {
            let style = Paint::from(Ink::Soft).text(12.0, HPos::Left);
            area.draw(&Text::new(heading.clone(), (0, px(y + 9.0)), style))?;
        }
        if view.cards_have_text {
            let names = Shortened::of(view);
            view.cards.iter().try_for_each(|card| draw_card(area, card, &names))
        } else {
            tiles(area, view)
        }
    })
}

/// Draws the selection over Cluster.
pub fn marked(view: &ClusterView, marked: &SelectedCells) -> String {
    picture("cluster-marked", Size { width: view.width, height: view.height }, |area| {
        let (has_text, paint) = (view.cards_have_text, Paint::from(Ink::Selected));
        for card in marked.cards.iter().filter_map(|at| view.cards.get(*at)) {
            if has_text {
                put(area, card.place, 0.5, paint.trimmed(Trim::Card).line(1.0))?;
            } else {
                edge(area, card.place, paint, 2.0)?;
            }
        }
        for (card, cell) in &marked.cells {
            let Some(cell) = view.cards.get(*card).and_then(|card| card.cells.get(*cell)) else { continue };
            if has_text {
                // Outside the outline of changed cells.
                let inset = if cell.parts.iter().any(|part| part.changed) { -3.0 } else { -1.0 };
                put(area, cell.place, inset, paint.trimmed(Trim::Changed).line(2.0))?;
            } else {
                edge(area, cell.place, paint, 1.5)?;
            }
        }
        Ok(())
    })
}

/// An outline around a tile or its cell.
fn edge(area: &Area<'_>, place: Rect, paint: Paint, width: f64) -> Drawn {
    put(area, place, -1.0, paint.trimmed(Trim::Mass).line(width))
}

fn rect(place: Rect, inset: f64) -> [(i32, i32); 2] {
    [(px(place.x + inset), px(place.y + inset)), (px(place.x + place.w - inset), px(place.y + place.h - inset))]
}

fn put(area: &Area<'_>, place: Rect, inset: f64, style: ShapeStyle) -> Drawn {
    area.draw(&Rectangle::new(rect(place, inset), style))
}

fn draw_card(area: &Area<'_>, card: &Card, names: &Shortened) -> Drawn {
    put(area, card.place, 0.5, Paint::from(Ink::Raised).trimmed(Trim::CardGround).area())?;
    put(area, card.place, 0.5, Paint::from(Ink::Line).trimmed(Trim::Card).line(1.0))?;
    let (left, right) = (card.place.x + 12.0, card.place.x + card.place.w - 12.0);
    let y = px(card.place.y + 17.0);
    let room_beside = |head: &str| right - left - text_width(head, 12.0) - 12.0;
    // The name has priority: beside a long name, only the first number is shown.
    let fits = text_width(&card.name, 12.5) <= room_beside(&card.head);
    let head = if fits { &card.head } else { card.head.split(" · ").next().unwrap_or_default() };
    let room = room_beside(head);
    if let Some(name) = fit(&card.name, 12.5, room) {
        let style = Paint::from(Ink::Ink).trimmed(Trim::Bold).text(12.0, HPos::Left);
        area.draw(&Text::new(name, (px(left), y), style))?;
    }
    area.draw(&Text::new(head.to_string(), (px(right), y), Paint::from(Ink::Soft).text(12.0, HPos::Right)))?;
    for cell in &card.cells {
        draw_cell(area, cell, card.ready, names)?;
    }
    if card.foot.is_empty() { Ok(()) } else { foot(area, card, left, right) }
}

/// CPU and memory: two thin bars and their numbers.
fn foot(area: &Area<'_>, card: &Card, left: f64, right: f64) -> Drawn {
    let bottom = card.place.y + card.place.h;
    let half = (right - left - 8.0) / 2.0;
    for (i, part) in [card.used.0, card.used.1].into_iter().enumerate() {
        let x = left + i as f64 * (half + 8.0);
        let ground = Rect { x, y: bottom - 31.0, w: half, h: 4.0 };
        put(area, ground, 0.0, Paint::from(Ink::Sunk).trimmed(Trim::Round).area())?;
        if part > 0.0 {
            let used = Rect { w: half * part.clamp(0.0, 1.0), ..ground };
            put(area, used, 0.0, Paint::from(Ink::Whole).trimmed(Trim::Round).area())?;
        }
    }
    let Some(text) = fit(&card.foot, 12.0, right - left) else { return Ok(()) };
    area.draw(&Text::new(text, (px(left), px(bottom - 15.0)), Paint::from(Ink::Soft).text(12.0, HPos::Left)))
}

fn draw_cell(area: &Area<'_>, cell: &CellView, ready: bool, names: &Shortened) -> Drawn {
    let place = cell.place;
    let full = cell.parts.first().is_some_and(|part| part.to - part.from > 0.999);
    if !full {
        put(area, place, 0.0, Paint::from(Ink::Sunk).trimmed(Trim::Round).area())?;
        put(area, place, 0.5, Paint::from(Ink::Strong).trimmed(Trim::RoundHair).line(1.0))?;
    }
    for part in &cell.parts {
        draw_part(area, place, part)?;
    }
    if !ready {
        put(area, place, 0.0, Paint::from(Ink::Whole).filled(Fill::Down).trimmed(Trim::Round).area())?;
    }
    if let Some((tone, _)) = &cell.claim {
        put(area, place, 2.0, Paint::from(Ink::Panel).trimmed(Trim::RoundBand).line(4.0))?;
        put(area, place, 2.0, Paint::from(marks::ink(*tone)).trimmed(Trim::RoundDotted).line(2.0))?;
    }
    labels(area, cell, names)?;
    if cell.parts.iter().any(|part| part.changed) {
        put(area, place, -1.0, Paint::from(Ink::Ink).trimmed(Trim::Changed).line(2.0))?;
    }
    if let Some(alternative) = &cell.alternative {
        let ink = alternative.tone.map_or(Ink::Dim, marks::ink);
        put(area, place, 3.5, Paint::from(Ink::Panel).trimmed(Trim::RoundHair).line(1.0))?;
        put(area, place, 3.5, Paint::from(ink).trimmed(Trim::RoundDashed).line(1.5))?;
    }
    Ok(())
}

fn draw_part(area: &Area<'_>, place: Rect, part: &Part) -> Drawn {
    let own = slice(place, part);
    let plain = Paint::from(marks::ink(part.tone));
    if part.leaving {
        put(area, own, 0.0, Paint::from(Ink::Panel).trimmed(Trim::Round).area())?;
        put(area, own, 0.0, plain.filled(Fill::Leaving).trimmed(Trim::Round).area())?;
        put(area, own, 0.5, plain.trimmed(Trim::RoundHair).line(1.0))?;
    } else {
        put(area, own, 0.0, marks::solid(part.tone).trimmed(Trim::Round).area())?;
    }
    if part.starting {
        put(area, own, 3.0, Paint::from(marks::on(part.tone)).trimmed(Trim::RoundHair).line(1.0))?;
    }
    if part.from > 0.0 {
        let y = px(own.y + own.h);
        let line = vec![(px(own.x), y), (px(own.x + own.w), y)];
        area.draw(&PathElement::new(line, Paint::from(Ink::Panel).line(1.0)))?;
    }
    if part.locked {
        let (right, bottom) = (own.x + own.w, own.y + own.h);
        let size = if own.w >= 40.0 { 14.0 } else { 10.0 };
        let corner = vec![(px(right), px(bottom - size)), (px(right), px(bottom)), (px(right - size), px(bottom))];
        area.draw(&Polygon::new(corner, Paint::from(Ink::Ink).faint(0.6)))?;
        if own.w >= 56.0 && own.h >= 40.0 {
            let at = (px(own.x + 6.0), px(bottom - 6.0));
            draw_lock(area, at, Paint::from(marks::on(part.tone)))?;
        }
    }
    Ok(())
}

fn labels(area: &Area<'_>, cell: &CellView, names: &Shortened) -> Drawn {
    let large = is_large(cell);
    for part in &cell.parts {
        let own = slice(cell.place, part);
        let Some((label, size)) = names.label(&part.job, own, large) else { continue };
        let ink = if part.leaving { Ink::Ink } else { marks::on(part.tone) };
        let (x, middle) = (own.x + own.w / 2.0, own.y + own.h / 2.0);
        let queue = fit(&part.queue, 12.0, own.w - 8.0).filter(|_| large && own.h > 44.0);
        let y = if queue.is_some() { middle - 9.0 } else { middle };
        if part.leaving {
            let wide = queue.as_ref().map_or(0.0, |queue| text_width(queue, 12.0));
            let half = text_width(&label, size * BOLD).max(wide) / 2.0 + 3.0;
            let (up, down) = (size * 0.62, if queue.is_some() { 30.0 } else { size * 0.62 });
            let ground = Rect { x: x - half, y: y - up, w: half * 2.0, h: up + down };
            put(area, ground, 0.0, Paint::from(Ink::Panel).trimmed(Trim::Round).area())?;
        }
        let bold = Paint::from(ink).trimmed(Trim::Bold);
        area.draw(&Text::new(label, (px(x), px(y)), bold.text(size, HPos::Center)))?;
        if let Some(queue) = queue {
            let style = Paint::from(ink).text(12.0, HPos::Center);
            area.draw(&Text::new(queue, (px(x), px(middle + 12.0)), style))?;
        }
    }
    Ok(())
}

/// Many nodes: cells of the same colour and state one after another, so that they share paths.
fn tiles(area: &Area<'_>, view: &ClusterView) -> Drawn {
    let mut masses: BTreeMap<Paint, Vec<Rect>> = BTreeMap::new();
    let mut changed: Vec<Rect> = Vec::new();
    for card in &view.cards {
        for cell in &card.cells {
            let Some(part) = cell.parts.first() else {
                let paint =
                    if card.ready { Paint::from(Ink::Line) } else { Paint::from(Ink::Whole).filled(Fill::Down) };
                masses.entry(paint.trimmed(Trim::Mass)).or_default().push(cell.place);
                continue;
            };
            let paint = if part.leaving {
                Paint::from(marks::ink(part.tone)).filled(Fill::Leaving)
            } else {
                marks::solid(part.tone)
            };
            masses.entry(paint.trimmed(Trim::Mass)).or_default().push(cell.place);
            if part.changed {
                changed.push(cell.place);
            }
        }
    }
    for (paint, places) in masses {
        for place in places {
            put(area, place, 0.0, paint.area())?;
        }
    }
    changed.into_iter().try_for_each(|place| edge(area, place, Paint::from(Ink::Ink), 1.5))
}

/// Legend key of a mark, 18 × 12 pixels.
pub fn key(mark: CellMark) -> String {
    let id = format!("cell-key-{mark:?}").to_lowercase();
    picture(&id, Size { width: 18.0, height: 12.0 }, |area| {
        let place = Rect { x: 2.0, y: 0.0, w: 14.0, h: 12.0 };
        let soft = Paint::from(Ink::Soft);
        let ground = |paint: Paint| put(area, place, 0.0, paint.trimmed(Trim::Round).area());
        match mark {
            CellMark::Part => {
                ground(Paint::from(Ink::Sunk))?;
                put(area, place, 0.5, Paint::from(Ink::Strong).trimmed(Trim::RoundHair).line(1.0))?;
                let lower = Rect { y: 6.0, h: 6.0, ..place };
                put(area, lower, 0.0, Paint::from(Ink::Whole).trimmed(Trim::Round).area())
            }
            CellMark::Locked => {
                ground(Paint::from(Ink::Whole))?;
                let corner = vec![(px(16.0), px(4.0)), (px(16.0), px(12.0)), (px(8.0), px(12.0))];
                area.draw(&Polygon::new(corner, Paint::from(Ink::Ink).area()))
            }
            CellMark::Leaving => {
                ground(soft.filled(Fill::Leaving))?;
                put(area, place, 0.5, soft.trimmed(Trim::RoundHair).line(1.0))
            }
            CellMark::Claimed => put(area, place, 1.0, soft.trimmed(Trim::RoundDotted).line(2.0)),
            CellMark::Starting => {
                ground(Paint::from(Ink::Whole))?;
                put(area, place, 3.0, Paint::from(Ink::OnWhole).trimmed(Trim::RoundHair).line(1.0))
            }
            CellMark::Down => ground(soft.filled(Fill::Down)),
            CellMark::Free => {
                ground(Paint::from(Ink::Sunk))?;
                put(area, place, 0.5, Paint::from(Ink::Strong).trimmed(Trim::RoundHair).line(1.0))
            }
            CellMark::Changed => put(area, place, 1.0, Paint::from(Ink::Ink).trimmed(Trim::Changed).line(2.0)),
            CellMark::Preview | CellMark::Before => put(area, place, 1.0, soft.trimmed(Trim::RoundDashed).line(1.5)),
        }
    })
}

/// Bold letters are wider than those that [`text_width`] measures.
pub const BOLD: f64 = 1.12;

/// Whether a cell has room for two lines of text.
pub fn is_large(cell: &CellView) -> bool {
    cell.place.h >= 50.0
}

/// Widths of cells in which a name is too long. In cells of these widths all names are shortened, so that jobs of one
/// kind are not named in two ways.
pub struct Shortened(BTreeSet<i32>);

impl Shortened {
    pub fn of(view: &ClusterView) -> Shortened {
        let mut widths = BTreeSet::new();
        for cell in view.cards.iter().flat_map(|card| &card.cells) {
            for part in &cell.parts {
                let own = slice(cell.place, part);
                if !fits(&part.job, own, size_in(own, is_large(cell))) {
                    widths.insert(own.w.round() as i32);
                }
            }
        }
        Shortened(widths)
    }

    /// The label of a job and its size; `None` without room for any.
    pub fn label(&self, job: &str, own: Rect, large: bool) -> Option<(String, f64)> {
        if own.h < 14.0 || own.w < 26.0 {
            return None;
        }
        let size = size_in(own, large);
        let is_short = self.0.contains(&(own.w.round() as i32));
        let whole = Some(job.to_owned());
        let labels = if is_short { [coded(job), whole, initials(job)] } else { [whole, None, None] };
        let label = labels.into_iter().flatten().find(|label| fits(label, own, size))?;
        Some((label, size))
    }
}

fn fits(label: &str, own: Rect, size: f64) -> bool {
    text_width(label, size * BOLD) <= own.w - 8.0
}

/// Size of a label.
fn size_in(own: Rect, large: bool) -> f64 {
    match large && own.h > 30.0 {
        true if own.w >= 90.0 => 16.0,
        true => 14.0,
        false => 12.0,
    }
}

/// The initial and up to three digits: *s12* for *sweep-12*; `None` for a name without a number.
fn coded(job: &str) -> Option<String> {
    let digits: Vec<char> = job.chars().rev().take_while(char::is_ascii_digit).take(3).collect();
    let initial = job.chars().next().filter(|_| !digits.is_empty())?;
    Some(std::iter::once(initial).chain(digits.into_iter().rev()).collect())
}

fn initials(job: &str) -> Option<String> {
    (job.chars().count() > 2).then(|| job.chars().take(2).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_cells_are_named_alike() {
        let own = Rect { x: 0.0, y: 0.0, w: 60.0, h: 40.0 };
        let label = |names: &Shortened, job: &str| names.label(job, own, true).map(|(label, _)| label);
        let (all, none) = (Shortened([60].into()), Shortened(BTreeSet::new()));
        assert_eq!(label(&none, "run-1").as_deref(), Some("run-1"));
        assert_eq!(label(&all, "run-1").as_deref(), Some("r1"), "another name of the same width is too long");
        assert_eq!(label(&all, "people-12").as_deref(), Some("p12"));
        assert_eq!(label(&all, "web").as_deref(), Some("web"), "there is no number to keep");
        assert_eq!(label(&all, "interactive-session").as_deref(), Some("in"));
    }
}
