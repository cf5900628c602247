//! Writes static pages from the stylesheet and real charts, to be viewed without a browser build.

use std::fmt::Write as _;

use fairground::words::Selection;

use crate::chart::alternative::Alternative;
use crate::chart::backend::{Size, escaped};
use crate::engine::protocol::Frame;
use crate::fixtures;
use crate::state::moment::event_filter::EventLaneOptions;
use crate::views::cluster::alternative::lay_alternative;
use crate::views::cluster::{self, selected_cells};
use crate::views::shares::draw::Rows;
use crate::views::timeline::overlays::add_overlays;
use crate::views::{shares, timeline};

fn shares_html(frame: &Frame, alternative: Option<&Frame>, selected: &str, rows: Rows) -> String {
    let selection = Selection::Queue(selected.into());
    let alternative = alternative.map(|frame| Alternative { frame, changed: Some("an edit") });
    let view = shares::view::shares(frame, alternative, Some(&selection), 2, &[]);
    let mut html = format!(
        r#"<section class="chart shares"><div class="shares-body"><div class="picture">{}</div><div class="axis"><span>allocated / {}</span></div><ul class="brows">"#,
        crate::views::shares::draw::shares(&view, rows),
        view.reference
    );
    for row in &view.rows {
        let plus = if row.plus.is_empty() {
            String::new()
        } else {
            format!("<span class=\"plus\"> {}</span>", row.plus)
        };
        let _ = write!(
            html,
            r#"<li><button class="brow{}"><span class="nm">{}</span><span class="v"><span><b>{}</b>{plus} <span class="dim">{}</span></span><span class="dim">{}</span></span></button></li>"#,
            if row.selected { " on" } else { "" },
            escaped(&row.name),
            row.has,
            row.of,
            row.wants
        );
    }
    html += "</ul></div><div class=\"legend\">";
    for mark in &view.marks {
        let _ = write!(html, "<span>{}{}</span>", crate::chart::marks::key(*mark), mark.name());
    }
    html + "</div></section>"
}

fn cluster_html(
    frame: &Frame,
    alternative: Option<&Frame>,
    selection: Option<&Selection>,
    width: f64,
) -> String {
    let mut view = cluster::view::cluster(frame, width, 2);
    if let Some(alternative) = alternative.map(|frame| Alternative { frame, changed: Some("an edit") }) {
        lay_alternative(&mut view, frame, alternative, 2);
    }
    let selected = selected_cells::marked(&view, frame, selection);
    let mut html = format!(
        r#"<section class="chart cluster"><div class="sect"><h2>Cluster</h2><p class="summary">{}</p></div><div class="cluster-body"><div class="picture">{}</div><div class="picture over">{}</div></div><div class="legend">"#,
        escaped(&view.summary),
        crate::views::cluster::draw::cluster(&view),
        crate::views::cluster::draw::marked(&view, &selected)
    );
    for mark in &view.marks {
        let _ = write!(html, "<span>{}{}</span>", crate::views::cluster::draw::key(*mark), mark.name());
    }
    html + "</div></section>"
}

fn timeline_html(selected: Option<&Selection>, width: f64) -> String {
    let (run, frame) = (fixtures::departments_run(), fixtures::departments());
    let mut view = timeline::view::timeline(&run, &frame, selected, 2);
    let look = EventLaneOptions { followed: selected.cloned(), ..EventLaneOptions::default() };
    add_overlays(&mut view, &run, &frame, &look);
    let axis = timeline::view::Axis::of(&view, width);
    let svg = crate::views::timeline::draw::timeline(&view, Size { width, height: 188.0 });
    let x = axis.x(12);
    format!(
        r#"<div class="timeline chart"><div class="timeline-body"><div class="picture">{svg}</div><svg width="{width}" height="168" style="position:absolute;left:0;top:0"><path d="M{x} 0V168" stroke="var(--ink)" stroke-width="2"/></svg></div></div>"#
    )
}

fn page(theme: &str, body: &str) -> String {
    format!(
        r#"<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="stylesheet" href="../../assets/style.css"><title>Preview</title><body>{body}</body></html>"#
    )
}

#[test]
fn previews_are_written() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/preview");
    std::fs::create_dir_all(dir).expect("target can be written to");
    for (theme, width) in [("light", 1440.0), ("dark", 1440.0), ("light", 390.0)] {
        let now = if width < 768.0 { width } else { width - 396.0 - 336.0 - 2.0 };
        let rows = |row: f64| {
            if width < 768.0 {
                Rows { width: now - 32.0, head: 0.0, row: 62.0 }
            } else {
                Rows { width: now - 48.0 - 148.0, head: 28.0, row }
            }
        };
        let (start, after, wide) = (fixtures::start(), fixtures::reclaimed(), fixtures::departments());
        let w = now - 32.0;
        let a2 = Selection::Job("a2".into());
        let main = shares_html(&wide, None, "nlp", rows(32.0)) + &cluster_html(&wide, None, None, w);
        let roomy = shares_html(&after, Some(&start), "", rows(52.0))
            + &cluster_html(&after, Some(&start), Some(&a2), w)
            + &cluster_html(&start, None, None, w);
        let many = cluster_html(&fixtures::many(120, 8), None, None, w);
        for (name, body) in
            [("main", main), ("start", format!("<div class=roomy>{roomy}</div>")), ("many", many)]
        {
            let body = format!(
                r#"<div class="app"><header class="bar"></header><main class="main"><section class="panel setup not-phone"></section><section class="panel">{body}</section><aside class="panel why-panel not-phone"></aside></main><footer class="dock"><div class="transport"></div>{}</footer></div>"#,
                timeline_html(Some(&Selection::Queue("product".into())), width - 32.0)
            );
            std::fs::write(format!("{dir}/{name}-{theme}-{width}.html"), page(theme, &body))
                .expect("target can be written to");
        }
    }
}
