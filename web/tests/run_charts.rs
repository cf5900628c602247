//! Charts of whole runs agree with the moments of the run.

use crate::run::{ADAPTERS, Page, RESTART, lines, sent};
use expect_test::expect;
use fairground::units::{Resource, ShownResource};
use fairground::words::{Selection, Terms};
use fairground_web::engine::protocol::{Response, Subjects};
use fairground_web::engine::report::{Gantt, GanttBy, Level, Report, ReportRequest, Trends};
use fairground_web::library::EXAMPLES;
use fairground_web::views::cluster::view::cluster;
use fairground_web::views::division::view::{division, with_alternative};
use fairground_web::views::gantt::view::{GanttView, Line, count_in, gantt};
use fairground_web::views::shares::view::shares;
use fairground_web::views::timeline::view::timeline;
use fairground_web::views::trends::view::{Measure, trends};

/// Number of cycles per example.
const CYCLES: u32 = 12;

fn series(page: &mut Page) -> Trends {
    match page.report(ReportRequest::Trends) {
        Report::Trends(series) => series,
        other => panic!("{other:?}"),
    }
}

#[test]
fn gantt_and_queues_as_pictures() {
    let named = RESTART.replace("name: a2", "name: '<b>'");
    let (mut page, frame, run) = Page::open(&named, 10);
    let report = page.gantt(GanttBy::Job, 0, 100, "");
    let view = gantt(&report, &run, &frame, None);
    let svg = fairground_web::views::gantt::draw::gantt(&view, 600.0);
    assert!(!svg.contains("<b>"), "names are text");
    assert!(svg.contains("url(#"), "lost work is hatched");
    let plan = fairground_web::views::gantt::draw::Plan { width: 600.0, end: view.end };
    let bar = format!("<rect x=\"{:.0}\"", plan.x(9) * 10.0);
    assert!(svg.contains(&bar), "the second run begins with cycle 9: {bar} in {svg}");
    let view = trends(&series(&mut page), &run, &frame, None, (ShownResource::GPU, Measure::Amounts));
    let svg = fairground_web::views::trends::draw::trends(&view, 600.0);
    assert_eq!(svg.matches("<polygon").count(), 2, "what each of two queues held");
    assert_eq!(svg.matches("stroke-dasharray").count(), 2, "and what it was entitled to");
    let [x, y, w, h] = fairground_web::views::trends::draw::place(1, 600.0);
    assert!(x > 0.0 && y == 0.0 && w >= 168.0 && h > 0.0, "side by side");
    assert!(fairground_web::views::trends::draw::place(1, 300.0)[1] > 0.0, "below each other where it is narrow");
}

#[test]
fn gantt_follows_the_resource() {
    let text = RESTART.replace("name: b1, queue: team-b,", "name: b1, queue: team-b, cpu: 4,");
    let (mut page, frame, run) = Page::open(&text, 10);
    let report = page.gantt(GanttBy::Job, 0, 100, "");
    let seen = |resource: ShownResource| {
        let mut view = gantt(&report, &run, &frame, None);
        count_in(&mut view, &report, &frame.named, resource);
        view
    };
    let rows = |view: &GanttView| -> Vec<(bool, String)> {
        let row = |line: &Line| match line {
            Line::Row(row) => Some((row.thin, row.says.rsplit("; ").next().unwrap_or_default().to_string())),
            Line::Queue(..) => None,
        };
        view.lines.iter().filter_map(row).collect()
    };
    let cores = seen(ShownResource::CPU);
    assert_eq!(rows(&cores).last(), Some(&(false, "requests 4 cores".to_string())));
    assert_eq!(rows(&cores)[0], (true, "requests no cores".to_string()));
    assert!(cores.marks.thin && cores.table.head[2] == "requested, cores", "{:?}", cores.table.head);
    let gpus = seen(ShownResource::GPU);
    assert!(!gpus.marks.thin && rows(&gpus).iter().all(|(thin, _)| !thin));
    let svg = fairground_web::views::gantt::draw::gantt(&gpus, 600.0);
    assert!(svg.contains(">1 GPU</text>"), "{svg}");
    assert!(
        rows(&seen(ShownResource::Dominant)).iter().all(|(thin, says)| !thin && !says.contains("asks")),
        "each has its own"
    );
}

#[test]
fn a_restarted_job_is_shown() {
    let (mut page, frame, run) = Page::open(RESTART, 40);
    let report = page.gantt(GanttBy::Job, 0, 100, "");
    expect![[r#"
        [team-a]
        a1 (team-a): submitted in cycle 0; runs cycles 1 to 20; over in cycle 21
        a2 (team-a): submitted in cycle 1; runs cycles 1 to 3, its work lost; runs cycles 9 to 16; reclaimed in cycle 3; over in cycle 17
        [team-b]
        b1 (team-b): submitted in cycle 3; runs cycles 4 to 8; over in cycle 9
        3 jobs; in cycle 22: 0 running, 0 waiting, 3 finished; 1 eviction; 3 cycles of work lost (per pod)."#]].assert_eq(&lines(&gantt(&report, &run, &frame, None)));
    let devices = page.gantt(GanttBy::Gpu, 0, 100, "");
    let view = gantt(&devices, &run, &frame, None);
    expect![[r#"
        node-1 · 0: a1 of team-a cycles 1 to 20
        node-1 · 1: a2 of team-a cycles 1 to 3, its work lost; b1 of team-b cycles 4 to 8; a2 of team-a cycles 9 to 16
        2 GPUs; in cycle 22: 0 held, 2 free; 3 cycles of work lost (per GPU)."#]]
    .assert_eq(&lines(&view));
    expect![[r#"
        GPU	job	queue	work lost	from cycle	gone in cycle
        node-1 · 0	a1	team-a	no	1	21
        node-1 · 1	a2	team-a	yes	1	4
        node-1 · 1	b1	team-b	no	4	9
        node-1 · 1	a2	team-a	no	9	17
    "#]]
    .assert_eq(&view.table.tsv());
}

#[test]
fn bars_are_what_moments_show() {
    for example in EXAMPLES {
        let (mut page, last, _) = Page::open(example.text, CYCLES);
        let jobs = page.gantt(GanttBy::Job, 0, 400, "");
        let pods = page.gantt(GanttBy::Pod, 0, 400, "");
        let devices = page.gantt(GanttBy::Gpu, 0, 400, "");
        assert!(jobs.rows.len() as u32 == jobs.total && pods.rows.len() as u32 == pods.total);
        for cycle in 0..=last.cycle {
            let (frame, _) = page.go_to(cycle);
            let held = |gantt: &Gantt, job: &str| -> u32 {
                let rows = gantt.rows.iter().filter(|row| row.job == job);
                let bars = rows.flat_map(|row| &row.bars).filter(|b| b.from <= cycle && cycle < b.to);
                bars.map(|bar| bar.kept + bar.lost).sum()
            };
            for job in &frame.jobs {
                let expected = job.running + job.leaving;
                let place = format!("{}: {} in cycle {cycle}", example.id, job.name);
                assert_eq!(held(&jobs, &job.name), expected, "{place}");
                assert_eq!(held(&pods, &job.name), expected, "{place}");
            }
            let cells = frame.nodes.iter().flat_map(|node| node.cells.iter().enumerate().map(move |c| (node, c)));
            for (node, (at, cell)) in cells {
                let name = format!("{} · {at}", node.name);
                let row = devices.rows.iter().find(|row| row.name == name).expect("a row for every GPU");
                let mut here: Vec<&str> = row
                    .bars
                    .iter()
                    .filter(|bar| bar.from <= cycle && cycle < bar.to)
                    .map(|bar| bar.holder.as_ref().map_or("", |holder| holder.0.as_str()))
                    .collect();
                let mut expected: Vec<&str> = cell.pods.iter().map(|pod| frame.job(pod.job)).collect();
                here.sort_unstable();
                expected.sort_unstable();
                assert_eq!(here, expected, "{}: {name} in cycle {cycle}", example.id);
            }
        }
    }
}

#[test]
fn windows_are_parts_of_the_whole() {
    let example = EXAMPLES.iter().find(|e| e.id == "department-empty").expect("an example");
    let (mut page, ..) = Page::open(example.text, 3);
    let all = page.gantt(GanttBy::Pod, 0, 400, "");
    assert!(all.total > 4);
    let part = page.gantt(GanttBy::Pod, 2, 2, "");
    assert_eq!((part.first, part.total, &part.rows[..]), (2, all.total, &all.rows[2..4]));
    let about = all.rows.last().expect("rows").job.clone();
    let found = page.gantt(GanttBy::Pod, 0, 2, &about);
    assert!(found.rows.iter().any(|row| row.job == about), "the window with what is asked about");
    let beyond = page.gantt(GanttBy::Pod, 9_999, 2, "");
    assert!(!beyond.rows.is_empty() && beyond.first < all.total);
}

#[test]
fn series_are_what_moments_show() {
    for example in EXAMPLES {
        let (mut page, last, _) = Page::open(example.text, CYCLES);
        let series = series(&mut page);
        assert_eq!((series.stride, series.last), (1, last.cycle));
        for cycle in 0..=last.cycle {
            let (frame, _) = page.go_to(cycle);
            for (queue, levels) in frame.queues.iter().zip(&series.queues) {
                let at = levels.partition_point(|level| level.cycle <= cycle) - 1;
                let Level { allocated, request, fair_share, .. } = &levels[at];
                let report = (allocated, request, fair_share);
                let expected = (&queue.allocated, &queue.request, &queue.fair_share);
                assert_eq!(report, expected, "{}: {} in cycle {cycle}", example.id, queue.name);
            }
        }
    }
}

#[test]
fn every_queue_has_its_own_small_timeline() {
    let (mut page, frame, run) = Page::open(RESTART, 5);
    let view = trends(&series(&mut page), &run, &frame, None, (ShownResource::GPU, Measure::Amounts));
    let says: Vec<String> = view.tiles.iter().map(|tile| tile.says.clone()).collect();
    expect![[r#"
        2 queues, all on one scale: 0 to 2 GPUs, cycles 0 to 12.
        team-a: 1 GPU allocated now, fair share 1, 2 requested; between 0 and 2 in the run
        team-b: 1 GPU allocated now, fair share 1, 1 requested; between 0 and 1 in the run
        queue	from cycle	allocated, GPUs	fair share, GPUs	requested, GPUs
        team-a	0	0	1	1
        team-a	1	2	2	2
        team-a	3	1	1	1
        team-a	4	1	1	2
        team-b	0	0	0	0
        team-b	3	0	1	1
        team-b	4	1	1	1
    "#]]
    .assert_eq(&(view.summary.clone() + "\n" + &says.join("\n") + "\n" + &view.table.tsv()));
    let dominant = trends(&series(&mut page), &run, &frame, None, (ShownResource::Dominant, Measure::Amounts));
    assert_eq!(dominant.max, 100.0, "one team held both GPUs");
    assert_eq!(dominant.tiles[0].has, "50 of 50");
}

#[test]
fn a_dragged_weight_has_a_preview() {
    let (mut page, frame, _) = Page::open(RESTART, 2);
    let edited = RESTART.replacen("weight: 1}", "weight: 3}", 1).replace("quota: 1", "quota: 0");
    let base = RESTART.replace("quota: 1", "quota: 0");
    let levels = |page: &mut Page, text: &str| {
        let ladder = Some(("team-a".to_string(), Resource::GPU));
        let replies = page.preview_at(&sent(text), 2, Subjects { ladder, ..Subjects::default() });
        match &replies[..] {
            [Response::Moment(moment), _] => moment.ladder.clone().expect("a ladder").levels,
            other => panic!("a preview was expected, not {other:?}"),
        }
    };
    let now = levels(&mut page, &base);
    let alternative = levels(&mut page, &edited);
    let view = with_alternative(
        division(&frame, &now[0], Resource::GPU, usize::MAX),
        &division(&frame, &alternative[0], Resource::GPU, usize::MAX),
        false,
    );
    let tank = |name: &str| view.tanks.iter().find(|tank| tank.name == name).expect("a tank");
    assert_eq!(tank("team-a").weight, 1.0);
    assert_eq!(tank("team-a").alternative.as_ref().map(|alternative| alternative.weight), Some(3.0));
    assert!(tank("team-b").alternative.is_none(), "nothing changes for who asks for nothing");
    let same = with_alternative(view.clone(), &division(&frame, &now[0], Resource::GPU, usize::MAX), false);
    assert!(same.tanks.iter().all(|tank| tank.alternative.is_none()));
}

#[test]
fn too_many_queues_leave_those_around_the_selected_one() {
    let mut queues = String::from("- {name: root}\n");
    for i in 0..100 {
        queues += &format!("- {{name: q{i}, parent: root, gpu: {{quota: 1, limit: unlimited, weight: 1}}}}\n");
    }
    let text = format!(
        "format: fairground-scenario\nversion: 1\npolicy: kai\ncycle: 1s\nnodes: [{{name: n, gpu: 8}}]\nqueues:\n{queues}jobs: [{{name: j, queue: q90, submit: 0s, gpu: 1}}]\n"
    );
    let (mut page, frame, run) = Page::open(&text, 2);
    let series = series(&mut page);
    let names = |selected: Option<&str>| -> Vec<String> {
        let selection = selected.map(|name| Selection::Queue(name.to_string()));
        let view = trends(&series, &run, &frame, selection.as_ref(), (ShownResource::GPU, Measure::Amounts));
        view.tiles.into_iter().map(|tile| tile.name).collect()
    };
    assert_eq!(names(None), ["root"]);
    let around = names(Some("q90"));
    assert!(around.len() == 60 && around.contains(&"q90".to_string()), "{around:?}");
}

/// All charts and numbers support the scenario's named resources.
#[test]
fn what_the_scenario_names_is_charted() {
    let (mut page, frame, run) = Page::open(ADAPTERS, 5);
    assert_eq!(frame.named, ["rdma"]);
    let shares = shares(&frame, None, None, ShownResource::named(0), &[]);
    assert_eq!(shares.summary, "2 of 2 rdma allocated.");
    let row = |name: &str| {
        let row = shares.rows.iter().find(|row| row.name == name).expect("a row");
        (row.allocated, row.request, row.quota, row.fair_share, row.limit)
    };
    assert_eq!(row("a"), (2.0, 2.0, None, None, None), "nobody divides it");
    assert_eq!(row("b"), (0.0, 1.0, None, None, None));
    let line = timeline(&run, &frame, None, ShownResource::named(0));
    assert_eq!(line.bands.len(), 1, "only one queue ever held some");
    assert_eq!((line.capacity.last(), line.bands[0].amounts.last()), (Some(&2.0), Some(&2.0)));
    assert!(line.summary.ends_with("2 of 2 rdma allocated at the end."), "{}", line.summary);
    let series = series(&mut page);
    let trends = trends(&series, &run, &frame, None, (ShownResource::named(0), Measure::Amounts));
    assert_eq!(trends.tiles[0].says, "a: 2 rdma allocated now, 2 requested; between 0 and 2 in the run");
    let nodes = cluster(&frame, 600.0, ShownResource::named(0));
    let heads: Vec<_> = nodes.cards.iter().map(|card| card.head.as_str()).collect();
    assert_eq!(heads, ["2 of 2 rdma", "0 of 0 rdma"]);
    assert_eq!(nodes.says(&nodes.cards[0], 0, &Terms::PLAIN), "n, rdma: a 2, 0 free");
    let cores = cluster(&frame, 600.0, ShownResource::CPU);
    assert_eq!(cores.cards[0].head, "4 of 16 cores");
    let parts: Vec<_> = cores.cards[0].cells[0].parts.iter().map(|part| (&*part.job, part.to)).collect();
    assert_eq!(parts, [("a", 0.25)]);
}
