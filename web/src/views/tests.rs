//! Pictures of known frames, and properties of all pictures.

use std::sync::Arc;

use expect_test::expect;
use fairground::units::ShownResource;

use super::cluster::selected_cells::marked;
use super::shares::draw::Rows;
use super::{cluster, shares, timeline};
use crate::chart::backend::{MASS_MAX, Size};
use crate::fixtures;

fn lines(svg: &str) -> String {
    svg.replace("><", ">\n<") + "\n"
}

#[test]
fn the_start_scenario_as_shares() {
    let view = shares::view::shares(&fixtures::reclaimed(), None, None, ShownResource::GPU, &[]);
    let svg = super::shares::draw::shares(&view, Rows { width: 500.0, head: 28.0, row: 32.0 });
    expect![[r#"
        <svg xmlns="http://www.w3.org/2000/svg" width="31.25rem" height="7.75rem" viewBox="0 0 5000 1240" aria-hidden="true">
        <defs>
        <pattern id="shares-leaving-0" width="50" height="50" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
        <rect width="50" height="50" fill="var(--q1)" opacity=".22"/>
        <rect width="15" height="50" fill="var(--q1)"/>
        </pattern>
        <pattern id="shares-leaving-73" width="50" height="50" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
        <rect width="50" height="50" fill="var(--whole)" opacity=".22"/>
        <rect width="15" height="50" fill="var(--whole)"/>
        </pattern>
        </defs>
        <text x="0" y="160" dy=".35em" font-size="120" fill="var(--ink-3)">0</text>
        <text x="980" y="160" dy=".35em" text-anchor="middle" font-size="120" fill="var(--ink-3)">1</text>
        <text x="1960" y="160" dy=".35em" text-anchor="middle" font-size="120" fill="var(--ink-3)">2</text>
        <text x="2940" y="160" dy=".35em" text-anchor="middle" font-size="120" fill="var(--ink-3)">3</text>
        <text x="4900" y="160" dy=".35em" text-anchor="middle" font-size="120" fill="var(--ink-3)">5</text>
        <polyline fill="none" stroke="var(--grid)" stroke-width="10" points="3920,260 3920,1240"/>
        <text x="3920" y="160" dy=".35em" text-anchor="middle" font-size="120" fill="var(--ink-2)">4 = all GPUs</text>
        <rect x="5" y="335" width="4890" height="210" fill="none" stroke="var(--line-strong)" rx="30" stroke-width="10"/>
        <rect x="0" y="330" width="2940" height="220" fill="var(--whole)" rx="30"/>
        <rect x="2940" y="330" width="980" height="220" fill="url(#shares-leaving-73)" rx="30"/>
        <rect x="2945" y="335" width="970" height="210" fill="none" stroke="var(--whole)" rx="30" stroke-width="10"/>
        <rect x="5" y="655" width="2930" height="210" fill="none" stroke="var(--line-strong)" rx="30" stroke-width="10"/>
        <rect x="0" y="650" width="1960" height="220" fill="var(--q1)" rx="30"/>
        <rect x="1960" y="650" width="980" height="220" fill="url(#shares-leaving-0)" rx="30"/>
        <rect x="1965" y="655" width="970" height="210" fill="none" stroke="var(--q1)" rx="30" stroke-width="10"/>
        <rect x="0" y="630" width="2960" height="260" fill="none" stroke="var(--ink)" rx="40" stroke-width="20" class="changed"/>
        <polyline fill="none" stroke="var(--ink)" stroke-width="20" points="1960,610 1960,910"/>
        <polygon fill="var(--panel)" points="1960,695 2025,760 1960,825 1895,760"/>
        <polyline fill="none" stroke="var(--ink)" stroke-width="16" points="1960,695 2025,760 1960,825 1895,760 1960,695"/>
        <rect x="5" y="975" width="1950" height="210" fill="none" stroke="var(--line-strong)" rx="30" stroke-width="10"/>
        <rect x="0" y="970" width="980" height="220" fill="var(--q2)" rx="30"/>
        <rect x="990" y="980" width="960" height="200" fill="none" stroke="var(--q2)" rx="30" stroke-width="20" stroke-dasharray="20 30"/>
        <rect x="0" y="950" width="1980" height="260" fill="none" stroke="var(--ink)" rx="40" stroke-width="20" class="changed"/>
        <polyline fill="none" stroke="var(--ink)" stroke-width="20" points="1960,930 1960,1230"/>
        <polygon fill="var(--panel)" points="1960,1015 2025,1080 1960,1145 1895,1080"/>
        <polyline fill="none" stroke="var(--ink)" stroke-width="16" points="1960,1015 2025,1080 1960,1145 1895,1080 1960,1015"/>
        </svg>
    "#]].assert_eq(&lines(&svg));
}

#[test]
fn the_start_scenario_as_cluster() {
    let view = cluster::view::cluster(&fixtures::reclaimed(), 400.0, ShownResource::GPU);
    let svg = super::cluster::draw::cluster(&view);
    expect![[r#"
        <svg xmlns="http://www.w3.org/2000/svg" width="25rem" height="6.75rem" viewBox="0 0 4000 1080" aria-hidden="true">
        <defs>
        <pattern id="cluster-leaving-0" width="50" height="50" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
        <rect width="50" height="50" fill="var(--q1)" opacity=".22"/>
        <rect width="15" height="50" fill="var(--q1)"/>
        </pattern>
        </defs>
        <rect x="5" y="5" width="1930" height="1070" fill="var(--raised)" rx="80"/>
        <rect x="5" y="5" width="1930" height="1070" fill="none" stroke="var(--line)" rx="80" stroke-width="10"/>
        <text x="120" y="170" dy=".35em" font-size="120" fill="var(--ink)" font-weight="600">node-1</text>
        <text x="1820" y="170" dy=".35em" text-anchor="end" font-size="120" fill="var(--ink-2)">2 of 2</text>
        <rect x="120" y="320" width="830" height="640" fill="var(--q1)" rx="30"/>
        <text x="535" y="550" dy=".35em" text-anchor="middle" font-size="140" fill="var(--q1-on)" font-weight="600">a1</text>
        <text x="535" y="760" dy=".35em" text-anchor="middle" font-size="120" fill="var(--q1-on)">team-a</text>
        <rect x="990" y="320" width="830" height="640" fill="var(--q1)" rx="30"/>
        <text x="1405" y="550" dy=".35em" text-anchor="middle" font-size="140" fill="var(--q1-on)" font-weight="600">a1</text>
        <text x="1405" y="760" dy=".35em" text-anchor="middle" font-size="120" fill="var(--q1-on)">team-a</text>
        <rect x="2065" y="5" width="1930" height="1070" fill="var(--raised)" rx="80"/>
        <rect x="2065" y="5" width="1930" height="1070" fill="none" stroke="var(--line)" rx="80" stroke-width="10"/>
        <text x="2180" y="170" dy=".35em" font-size="120" fill="var(--ink)" font-weight="600">node-2</text>
        <text x="3880" y="170" dy=".35em" text-anchor="end" font-size="120" fill="var(--ink-2)">2 of 2 · 1 leaving</text>
        <rect x="2180" y="320" width="830" height="640" fill="var(--panel)" rx="30"/>
        <rect x="2180" y="320" width="830" height="640" fill="url(#cluster-leaving-0)" rx="30"/>
        <rect x="2185" y="325" width="820" height="630" fill="none" stroke="var(--q1)" rx="30" stroke-width="10"/>
        <rect x="2200" y="340" width="790" height="600" fill="none" stroke="var(--panel)" rx="30" stroke-width="40"/>
        <rect x="2200" y="340" width="790" height="600" fill="none" stroke="var(--q2)" rx="30" stroke-width="20" stroke-dasharray="20 30"/>
        <rect x="2356" y="463" width="478" height="387" fill="var(--panel)" rx="30"/>
        <text x="2595" y="550" dy=".35em" text-anchor="middle" font-size="140" fill="var(--ink)" font-weight="600">a2</text>
        <text x="2595" y="760" dy=".35em" text-anchor="middle" font-size="120" fill="var(--ink)">team-a</text>
        <rect x="2170" y="310" width="850" height="660" fill="none" stroke="var(--ink)" rx="40" stroke-width="20" class="changed"/>
        <rect x="3050" y="320" width="830" height="640" fill="var(--q2)" rx="30"/>
        <text x="3465" y="550" dy=".35em" text-anchor="middle" font-size="140" fill="var(--q2-on)" font-weight="600">b1</text>
        <text x="3465" y="760" dy=".35em" text-anchor="middle" font-size="120" fill="var(--q2-on)">team-b</text>
        </svg>
    "#]].assert_eq(&lines(&svg));
}

/// Long because its picture is one text.
#[test]
fn a_run_as_timeline() {
    let view =
        timeline::view::timeline(&fixtures::departments_run(), &fixtures::departments(), None, ShownResource::GPU);
    let svg = super::timeline::draw::timeline(&view, Size { width: 600.0, height: 168.0 });
    expect![[r#"
        <svg xmlns="http://www.w3.org/2000/svg" width="37.5rem" height="10.5rem" viewBox="0 0 6000 1680" aria-hidden="true">
        <defs>
        <pattern id="timeline-leaving-0" width="50" height="50" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
        <rect width="50" height="50" fill="var(--q1)" opacity=".22"/>
        <rect width="15" height="50" fill="var(--q1)"/>
        </pattern>
        </defs>
        <polyline fill="none" stroke="var(--line)" stroke-width="10" points="1080,140 5880,140"/>
        <circle cx="1265" cy="140" r="80" fill="var(--panel)"/>
        <polygon fill="var(--ink)" points="1265,90 1317,182 1213,182"/>
        <circle cx="1634" cy="140" r="80" fill="var(--panel)"/>
        <circle cx="1634" cy="140" r="46" fill="var(--ink)"/>
        <circle cx="2003" cy="140" r="80" fill="var(--panel)"/>
        <circle cx="2003" cy="140" r="46" fill="var(--ink)"/>
        <circle cx="2742" cy="140" r="80" fill="var(--panel)"/>
        <polygon fill="var(--ink)" points="2742,90 2794,182 2690,182"/>
        <circle cx="3111" cy="140" r="80" fill="var(--panel)"/>
        <polyline fill="none" stroke="var(--ink)" stroke-linejoin="round" stroke-linecap="round" stroke-width="18" points="3069,98 3153,182"/>
        <polyline fill="none" stroke="var(--ink)" stroke-linejoin="round" stroke-linecap="round" stroke-width="18" points="3153,98 3069,182"/>
        <text x="3281" y="65" dy=".35em" font-size="110" fill="var(--ink-2)" class="halo">2</text>
        <circle cx="3480" cy="140" r="80" fill="var(--panel)"/>
        <polyline fill="none" stroke="var(--ink)" stroke-linejoin="round" stroke-linecap="round" stroke-width="18" points="3438,98 3522,182"/>
        <polyline fill="none" stroke="var(--ink)" stroke-linejoin="round" stroke-linecap="round" stroke-width="18" points="3522,98 3438,182"/>
        <circle cx="4218" cy="140" r="80" fill="var(--panel)"/>
        <circle cx="4218" cy="140" r="46" fill="var(--ink)"/>
        <circle cx="5326" cy="140" r="80" fill="var(--panel)"/>
        <polygon fill="var(--ink)" points="5326,90 5378,182 5274,182"/>
        <circle cx="5695" cy="140" r="80" fill="var(--panel)"/>
        <polyline fill="none" stroke="var(--ink)" stroke-linejoin="round" stroke-linecap="round" stroke-width="18" points="5653,98 5737,182"/>
        <polyline fill="none" stroke="var(--ink)" stroke-linejoin="round" stroke-linecap="round" stroke-width="18" points="5737,98 5653,182"/>
        <text x="0" y="140" dy=".35em" font-size="120" fill="var(--ink-2)">events</text>
        <rect x="0" y="963" width="80" height="80" fill="var(--q3)" rx="30"/>
        <text x="130" y="1003" dy=".35em" font-size="120" fill="var(--ink-2)">sandbox</text>
        <rect x="0" y="1108" width="80" height="80" fill="var(--q2)" rx="30"/>
        <text x="130" y="1148" dy=".35em" font-size="120" fill="var(--ink-2)">product</text>
        <rect x="0" y="1283" width="80" height="80" fill="var(--q1)" rx="30"/>
        <text x="130" y="1323" dy=".35em" font-size="120" fill="var(--ink-2)">research</text>
        <polyline fill="none" stroke="var(--grid)" stroke-width="10" points="1080,1439 5879,1439"/>
        <polyline fill="none" stroke="var(--grid)" stroke-width="10" points="1080,1148 5879,1148"/>
        <polyline fill="none" stroke="var(--grid)" stroke-width="10" points="1080,857 5879,857"/>
        <polyline fill="none" stroke="var(--grid)" stroke-width="10" points="1080,565 5879,565"/>
        <text x="960" y="1439" dy=".35em" text-anchor="end" font-size="120" fill="var(--ink-3)">0</text>
        <text x="960" y="1148" dy=".35em" text-anchor="end" font-size="120" fill="var(--ink-3)">10</text>
        <text x="960" y="857" dy=".35em" text-anchor="end" font-size="120" fill="var(--ink-3)">20</text>
        <text x="960" y="565" dy=".35em" text-anchor="end" font-size="120" fill="var(--ink-3)">30</text>
        <text x="1264" y="1560" dy=".76em" text-anchor="middle" font-size="120" fill="var(--ink-3)">0</text>
        <text x="2002" y="1560" dy=".76em" text-anchor="middle" font-size="120" fill="var(--ink-3)">2</text>
        <text x="2741" y="1560" dy=".76em" text-anchor="middle" font-size="120" fill="var(--ink-3)">4</text>
        <text x="3479" y="1560" dy=".76em" text-anchor="middle" font-size="120" fill="var(--ink-3)">6</text>
        <text x="4217" y="1560" dy=".76em" text-anchor="middle" font-size="120" fill="var(--ink-3)">8</text>
        <text x="4956" y="1560" dy=".76em" text-anchor="middle" font-size="120" fill="var(--ink-3)">10</text>
        <text x="5694" y="1560" dy=".76em" text-anchor="middle" font-size="120" fill="var(--ink-3)">12</text>
        <polygon fill="var(--panel)" points="1080,915 1449,915 1449,857 1818,857 1818,740 2187,740 2187,682 2556,682 2556,536 2925,536 2925,507 5879,507 5879,1439 1080,1439"/>
        <polygon fill="url(#timeline-leaving-0)" points="1080,915 1449,915 1449,857 1818,857 1818,740 2187,740 2187,682 2556,682 2556,536 2925,536 2925,507 5879,507 5879,1439 1080,1439"/>
        <polyline fill="none" stroke="var(--panel)" stroke-width="10" points="1080,915 1449,915 1449,857 1818,857 1818,740 2187,740 2187,682 2556,682 2556,536 2925,536 2925,507 5879,507"/>
        <polygon fill="var(--q3)" points="1080,915 1449,915 1449,857 1818,857 1818,740 2187,740 2187,682 2556,682 2556,536 2925,536 2925,507 5509,507 5509,565 5879,565 5879,1439 1080,1439"/>
        <polyline fill="none" stroke="var(--panel)" stroke-width="10" points="1080,915 1449,915 1449,857 1818,857 1818,740 2187,740 2187,682 2556,682 2556,536 2925,536 2925,507 5509,507 5509,565 5879,565"/>
        <polygon fill="var(--q2)" points="1080,1090 1449,1090 1449,1032 1818,1032 1818,915 2187,915 2187,857 2556,857 2556,711 2925,711 2925,624 3294,624 3294,565 4033,565 4033,536 5509,536 5509,594 5879,594 5879,1439 1080,1439"/>
        <polyline fill="none" stroke="var(--panel)" stroke-width="10" points="1080,1090 1449,1090 1449,1032 1818,1032 1818,915 2187,915 2187,857 2556,857 2556,711 2925,711 2925,624 3294,624 3294,565 4033,565 4033,536 5509,536 5509,594 5879,594"/>
        <polygon fill="var(--q1)" points="1080,1206 1818,1206 1818,1148 2187,1148 2187,1090 2556,1090 2556,973 2925,973 2925,915 5509,915 5509,973 5879,973 5879,1439 1080,1439"/>
        <polyline fill="none" stroke="var(--panel)" stroke-width="10" points="1080,1206 1818,1206 1818,1148 2187,1148 2187,1090 2556,1090 2556,973 2925,973 2925,915 5509,915 5509,973 5879,973"/>
        <polyline fill="none" stroke="var(--ink)" stroke-width="15" points="1080,507 5879,507"/>
        <rect x="4726" y="327" width="1153" height="160" opacity="0.86" fill="var(--panel)" rx="30"/>
        <text x="5302" y="407" dy=".35em" text-anchor="middle" font-size="120" fill="var(--ink)">capacity 32 GPUs</text>
        </svg>
    "#]].assert_eq(&lines(&svg));
}

#[test]
fn the_selected_queue_and_a_range_lie_over_the_areas() {
    use super::timeline::overlays::add_overlays;
    use crate::state::layout::options::EventLaneOptions;
    use fairground::words::Selection;
    let (run, frame) = (fixtures::departments_run(), fixtures::departments());
    let drawn = |queue: &str, look: EventLaneOptions| {
        let selected = frame.queues.iter().position(|row| row.name == queue).map(|at| at as u32);
        let mut view = timeline::view::timeline(&run, &frame, selected, ShownResource::GPU);
        add_overlays(&mut view, &run, &frame, &look);
        super::timeline::draw::timeline(&view, Size { width: 600.0, height: 172.0 })
    };
    let research = drawn("research", EventLaneOptions::default());
    assert!(research.contains(r#"<pattern id="timeline-owed-64""#), "{research}");
    assert!(research.contains(">owed</text>") && !research.contains(">borrowed</text>"), "{research}");
    assert!(!research.contains("--sel-line"), "{research}");
    let range = Some((2, 30));
    let sandbox = drawn(
        "sandbox",
        EventLaneOptions { range, followed: Some(Selection::Job("s2".into())), ..EventLaneOptions::default() },
    );
    assert!(sandbox.contains(">borrowed</text>") && !sandbox.contains(">owed</text>"), "{sandbox}");
    assert!(sandbox.contains("url(#timeline-beyond-"), "{sandbox}");
    assert!(sandbox.contains(r#"fill="var(--sel-line)""#), "{sandbox}");
    assert!(
        sandbox.contains(">all events</text>") && sandbox.contains(">s2</text>"),
        "the rows of the lane: {sandbox}"
    );
}

#[test]
fn the_overlay_and_the_picture_agree_on_where_cycles_are() {
    let view =
        timeline::view::timeline(&fixtures::departments_run(), &fixtures::departments(), None, ShownResource::GPU);
    let width = 1200.0;
    let svg = super::timeline::draw::timeline(&view, Size { width, height: 168.0 });
    let axis = timeline::view::Axis::of(&view, width);
    for cycle in [0, 5, 12] {
        assert_eq!(axis.cycle_at(axis.x(cycle)), cycle);
        let label = format!(">{cycle}</text>");
        let tag = svg.split("<text").find(|tag| tag.contains(&label) && tag.contains("middle"));
        if let Some(x) = tag.and_then(|tag| tag.split("x=\"").nth(1)).and_then(|x| x.split('"').next()) {
            let x: f64 = x.parse().expect("a number");
            assert!((x / 10.0 - axis.x(cycle)).abs() < 1.0, "cycle {cycle}: {x} against {}", axis.x(cycle));
        }
    }
}

#[test]
fn names_are_text_in_every_picture() {
    let mut frame = fixtures::reclaimed();
    frame.queues[0].name = "<script>alert(1)</script>".into();
    frame.nodes[0].name = "\"><img>".into();
    Arc::make_mut(&mut frame.names).jobs.iter_mut().for_each(|(name, _)| *name = "<b>".into());
    let view = cluster::view::cluster(&frame, 900.0, ShownResource::GPU);
    let svg = super::cluster::draw::cluster(&view)
        + &super::timeline::draw::timeline(
            &timeline::view::timeline(&fixtures::departments_run(), &frame, None, ShownResource::GPU),
            Size { width: 900.0, height: 168.0 },
        );
    assert!(!svg.contains("<script") && !svg.contains("<b>") && !svg.contains("<img"), "{svg}");
}

#[test]
fn five_thousand_nodes_stay_one_small_picture() {
    let frame = fixtures::many(5_000, 8);
    let view = cluster::view::cluster(&frame, 680.0, ShownResource::GPU);
    let svg = super::cluster::draw::cluster(&view);
    assert!(svg.matches('<').count() < 200, "{} elements", svg.matches('<').count());
    assert!(svg.len() < 1_500_000, "{} bytes", svg.len());
}

#[test]
fn what_is_selected_of_many_is_a_few_paths() {
    let frame = fixtures::many(5_000, 8);
    let view = cluster::view::cluster(&frame, 680.0, ShownResource::GPU);
    let queue = frame.queues[4].name.clone();
    let selected = marked(&view, &frame, Some(&fairground::words::Selection::Queue(queue)));
    assert!(selected.cells.len() > 100, "{} cells", selected.cells.len());
    let svg = super::cluster::draw::marked(&view, &selected);
    assert_eq!(svg.matches("<path").count(), selected.cells.len().div_ceil(MASS_MAX), "{} bytes", svg.len());
    assert_eq!(svg.matches('M').count(), selected.cells.len());
}
