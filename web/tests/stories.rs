//! What is told of whole runs agrees with the moments of the run.
//!
//! Long because every view of a whole run is held against the same runs.

use expect_test::expect;
use fairground::words::Selection;
use fairground::words::number::NAMED;
use fairground_web::engine::protocol::{Ask, Frame, Reply, Request, Run, Say};
use fairground_web::engine::report::{Gantt, GanttBy, Level, Report, ReportRequest, Series, Tally};
use fairground_web::engine::serve::Server;
use fairground_web::library::EXAMPLES;
use fairground_web::views::cluster::view::cluster;
use fairground_web::views::division::view::{division, with_alternative};
use fairground_web::views::fairness::view::fairness;
use fairground_web::views::gantt::view::{GanttView, Line, count_in, gantt};
use fairground_web::views::shares::view::shares;
use fairground_web::views::timeline::view::timeline;
use fairground_web::views::trends::view::{Measure, trends};
use fairground_web::words::{announce, why};

struct Page {
    server: Server,
    generation: u64,
}

impl Page {
    fn open(text: &str, cycle: u32) -> (Page, Frame, Run) {
        let mut page = Page { server: Server::default(), generation: 0 };
        let ask = Ask::Load { scenario: text.to_string(), cycle };
        let (frame, run) = page.frame(ask);
        (page, frame, run)
    }

    fn ask(&mut self, ask: Ask) -> Option<Say> {
        self.all(ask).pop()
    }

    fn all(&mut self, ask: Ask) -> Vec<Say> {
        self.generation += 1;
        let mut replies: Vec<Reply> = self.server.ask(Request { generation: self.generation, ask });
        while self.server.is_busy() {
            replies.extend(self.server.work());
        }
        replies.into_iter().map(|reply| reply.say).collect()
    }

    fn frame(&mut self, ask: Ask) -> (Frame, Run) {
        match self.ask(ask) {
            Some(Say::Frame { frame, run }) => (*frame, *run),
            other => panic!("a frame was expected, not {other:?}"),
        }
    }

    fn report(&mut self, request: ReportRequest) -> Report {
        match self.ask(Ask::Report(request)) {
            Some(Say::Report(Some(report))) => *report,
            other => panic!("a story was expected, not {other:?}"),
        }
    }

    fn gantt(&mut self, by: GanttBy, first: u32, n: u32, about: &str) -> Gantt {
        let request = ReportRequest::Gantt { by, first, n, about: about.into(), named: Vec::new() };
        match self.report(request) {
            Report::Gantt(gantt) => gantt,
            other => panic!("{other:?}"),
        }
    }

    fn tally(&mut self) -> Tally {
        match self.report(ReportRequest::Tally { resource: 2 }) {
            Report::Tally(tally) => tally,
            other => panic!("{other:?}"),
        }
    }

    fn series(&mut self) -> Series {
        match self.report(ReportRequest::Series) {
            Report::Series(series) => series,
            other => panic!("{other:?}"),
        }
    }
}

/// How far examples are followed.
const CYCLES: u32 = 12;

/// One team holds all, another takes half back; the taken pod begins again once the other is done.
const RESTART: &str = "format: fairground-scenario
version: 1
policy: kai
cycle: 1s
nodes: [{name: node, count: 1, gpu: 2}]
queues:
- {name: team-a, gpu: {quota: 1, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited, weight: 1}, memory: {quota: unlimited, limit: unlimited, weight: 1}}
- {name: team-b, gpu: {quota: 1, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited, weight: 1}, memory: {quota: unlimited, limit: unlimited, weight: 1}}
jobs:
- {name: a1, queue: team-a, submit: 0s, gpu: 1, lasts: 20s}
- {name: a2, queue: team-a, submit: 1s, gpu: 1, lasts: 8s}
- {name: b1, queue: team-b, submit: 3s, gpu: 1, lasts: 5s}
";

#[test]
fn gantt_and_queues_as_pictures() {
    let named = RESTART.replace("name: a2", "name: '<b>'");
    let (mut page, frame, run) = Page::open(&named, 10);
    let told = page.gantt(GanttBy::Job, 0, 100, "");
    let view = gantt(&told, &run, &frame, None);
    let svg = fairground_web::views::gantt::draw::gantt(&view, 600.0);
    assert!(!svg.contains("<b>"), "names are text");
    assert!(svg.contains("url(#"), "lost work is hatched");
    let plan = fairground_web::views::gantt::draw::Plan { width: 600.0, end: view.end };
    let bar = format!("<rect x=\"{:.0}\"", plan.x(9) * 10.0);
    assert!(svg.contains(&bar), "the second run begins with cycle 9: {bar} in {svg}");
    let view = trends(&page.series(), &run, &frame, None, (2, Measure::Amounts));
    let svg = fairground_web::views::trends::draw::trends(&view, 600.0);
    assert_eq!(svg.matches("<polygon").count(), 2, "what each of two queues held");
    assert_eq!(svg.matches("stroke-dasharray").count(), 2, "and what it was entitled to");
    let [x, y, w, h] = fairground_web::views::trends::draw::place(1, 600.0);
    assert!(x > 0.0 && y == 0.0 && w >= 168.0 && h > 0.0, "side by side");
    assert!(
        fairground_web::views::trends::draw::place(1, 300.0)[1] > 0.0,
        "below each other where it is narrow"
    );
}

#[test]
fn gantt_follows_the_resource() {
    let text = RESTART.replace("name: b1, queue: team-b,", "name: b1, queue: team-b, cpu: 4,");
    let (mut page, frame, run) = Page::open(&text, 10);
    let told = page.gantt(GanttBy::Job, 0, 100, "");
    let seen = |resource: u8| {
        let mut view = gantt(&told, &run, &frame, None);
        count_in(&mut view, &told, &frame.named, resource);
        view
    };
    let rows = |view: &GanttView| -> Vec<(bool, String)> {
        let row = |line: &Line| match line {
            Line::Row(row) => Some((row.thin, row.says.rsplit("; ").next().unwrap_or_default().to_string())),
            Line::Queue(..) => None,
        };
        view.lines.iter().filter_map(row).collect()
    };
    let cores = seen(0);
    assert_eq!(rows(&cores).last(), Some(&(false, "requests 4 cores".to_string())));
    assert_eq!(rows(&cores)[0], (true, "requests no cores".to_string()));
    assert!(cores.marks.thin && cores.table.head[2] == "requested, cores", "{:?}", cores.table.head);
    let gpus = seen(2);
    assert!(!gpus.marks.thin && rows(&gpus).iter().all(|(thin, _)| !thin));
    let svg = fairground_web::views::gantt::draw::gantt(&gpus, 600.0);
    assert!(svg.contains(">1 GPU</text>"), "{svg}");
    assert!(rows(&seen(3)).iter().all(|(thin, says)| !thin && !says.contains("asks")), "each has its own");
}

fn lines(view: &GanttView) -> String {
    let line = |line: &Line| match line {
        Line::Queue(name, _) => format!("[{name}]\n"),
        Line::Row(row) => format!("{}\n", row.says),
    };
    view.lines.iter().map(line).collect::<String>() + &view.summary
}

#[test]
fn a_job_that_had_to_begin_again_is_told() {
    let (mut page, frame, run) = Page::open(RESTART, 40);
    let told = page.gantt(GanttBy::Job, 0, 100, "");
    expect![[r#"
        [team-a]
        a1 (team-a): submitted in cycle 0; runs cycles 1 to 20; over in cycle 21
        a2 (team-a): submitted in cycle 1; runs cycles 1 to 3, its work lost; runs cycles 9 to 16; reclaimed in cycle 3; over in cycle 17
        [team-b]
        b1 (team-b): submitted in cycle 3; runs cycles 4 to 8; over in cycle 9
        3 jobs; in cycle 22: 0 running, 0 waiting, 3 finished; 1 eviction; 3 pod-cycles lost."#]].assert_eq(&lines(&gantt(&told, &run, &frame, None)));
    let devices = page.gantt(GanttBy::Gpu, 0, 100, "");
    let view = gantt(&devices, &run, &frame, None);
    expect![[r#"
        node-1 · 0: a1 of team-a cycles 1 to 20
        node-1 · 1: a2 of team-a cycles 1 to 3, its work lost; b1 of team-b cycles 4 to 8; a2 of team-a cycles 9 to 16
        2 GPUs; in cycle 22: 0 held, 2 free; 3 GPU-cycles lost."#]].assert_eq(&lines(&view));
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
            let (frame, _) = page.frame(Ask::GoTo { cycle });
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
            let cells =
                frame.nodes.iter().flat_map(|node| node.cells.iter().enumerate().map(move |c| (node, c)));
            for (node, (at, cell)) in cells {
                let name = format!("{} · {at}", node.name);
                let row = devices.rows.iter().find(|row| row.name == name).expect("a row for every GPU");
                let mut here: Vec<&str> = row
                    .bars
                    .iter()
                    .filter(|bar| bar.from <= cycle && cycle < bar.to)
                    .map(|bar| bar.holder.as_ref().map_or("", |holder| holder.0.as_str()))
                    .collect();
                let mut expected: Vec<&str> = cell.pods.iter().map(|pod| pod.job.as_str()).collect();
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
        let series = page.series();
        assert_eq!((series.stride, series.last), (1, last.cycle));
        for cycle in 0..=last.cycle {
            let (frame, _) = page.frame(Ask::GoTo { cycle });
            for (queue, levels) in frame.queues.iter().zip(&series.queues) {
                let at = levels.partition_point(|level| level.cycle <= cycle) - 1;
                let Level { allocated, request, fair_share, .. } = &levels[at];
                let told = (allocated, request, fair_share);
                let expected = (&queue.allocated, &queue.request, &queue.fair_share);
                assert_eq!(told, expected, "{}: {} in cycle {cycle}", example.id, queue.name);
            }
        }
    }
}

#[test]
fn what_was_owed_and_lost_is_counted() {
    let (mut page, ..) = Page::open(RESTART, 40);
    let tally = page.tally();
    // a1 runs from 1 to 21 s, a2 from 1 to 3 s and, after b1's 4 to 9 s, from 9 to 17 s: of 35 GPU seconds 2 are lost. One GPU is free
    // while a1 waits for the first cycle, and one while b1 and a2 wait for the fourth.
    expect![[r#"
        Tally {
            resource: 2,
            cycle: 22,
            time_ms: 22000,
            queues: [
                TallyRow {
                    short: 1.0,
                    used: 30.0,
                    owed: 1.0,
                    borrowed: 10.0,
                    lost: 2.0,
                    started: 2,
                    wait_median: 0.5,
                    wait_p90: 1.0,
                    wait_now: None,
                    evictions: 1,
                    restarts: 1,
                    pools: [],
                },
                TallyRow {
                    short: 1.0,
                    used: 5.0,
                    owed: 1.0,
                    borrowed: 0.0,
                    lost: 0.0,
                    started: 1,
                    wait_median: 1.0,
                    wait_p90: 1.0,
                    wait_now: None,
                    evictions: 0,
                    restarts: 0,
                    pools: [],
                },
            ],
            all: TallyRow {
                short: 0.0,
                used: 35.0,
                owed: 2.0,
                borrowed: 10.0,
                lost: 2.0,
                started: 3,
                wait_median: 1.0,
                wait_p90: 1.0,
                wait_now: None,
                evictions: 1,
                restarts: 1,
                pools: [],
            },
            capacity: 44.0,
            idle_wanted: 2.0,
            stranded: 0.0,
            free: 2.0,
            jain: Some(
                0.9944616747895437,
            ),
            ping_pong: [],
        }"#]]
    .assert_eq(&format!("{tally:#?}"));
}

#[test]
fn fairness_is_told_in_words() {
    let (mut page, frame, _) = Page::open(RESTART, 40);
    let view = fairness(&page.tally(), &frame, None);
    let facts: Vec<String> =
        view.facts.iter().map(|f| format!("{}: {} ({})", f.name, f.value, f.reading)).collect();
    expect![[r#"
        From 0:00 to 0:22, cycle 22: team-a was owed most and was below its share for 0:01.
        Used: 79.5 % (35 of 44 GPU-seconds)
        Idle while wanted: 4.5 % (2 GPU-seconds free while jobs waited)
        Stranded now: 0 GPUs (of 2 GPUs free: too small for any waiting job)
        Restarts per hour: 163.64 (1 restart in 0:22; 2 GPU-seconds lost)
        Jain index: 0.99 (all queues got nearly the same fraction of their share)
        queue	below share	owed, GPU-seconds	borrowed, GPU-seconds	used, GPU-seconds	median wait	P90 wait	longest wait now	evictions	lost, GPU-seconds
        team-a	0:01	1	10	30	0:00	0:01	–	1	2
        team-b	0:01	1	0	5	0:01	0:01	–	0	0
        all	–	2	10	35	0:01	0:01	–	1	2
    "#]].assert_eq(&(view.summary + "\n" + &facts.join("\n") + "\n" + &view.table.tsv()));
}

/// The warnings of Fairness about an example at a cycle.
fn warnings(id: &str, cycle: u32) -> Vec<String> {
    let example = EXAMPLES.iter().find(|e| e.id == id).expect("an example");
    let (mut page, frame, _) = Page::open(example.text, cycle);
    let view = fairness(&page.tally(), &frame, None);
    view.warnings.iter().map(|warning| format!("{}: {}{}", warning.name, warning.job, warning.says)).collect()
}

#[test]
fn a_job_that_goes_back_and_forth_is_warned_of() {
    let of = |cycle| warnings("tug-of-war", cycle).into_iter().filter(|says| says.starts_with("Ping-pong"));
    assert_eq!(of(3).count(), 0, "evicted twice, started again once");
    expect!["Ping-pong: stretch was evicted 11 times and started again 10 times in 0:12."]
        .assert_eq(&of(12).collect::<String>());
}

#[test]
fn a_job_that_starves_is_warned_of() {
    let of = |id, cycle| warnings(id, cycle).into_iter().filter(|says| says.starts_with("Starvation"));
    assert_eq!(of("tug-of-war", 8).count(), 0, "not yet long");
    expect!["Starvation: build has been waiting for 0:12; red uses 1 GPU, below its fair share of 2; 1 other job as well."]
        .assert_eq(&of("tug-of-war", 12).collect::<String>());
    for example in ["quota-is-a-floor", "limit-is-a-ceiling", "priority-before-weight"] {
        assert_eq!(warnings(example, 40), [""; 0], "{example}: all have what they are due");
    }
}

#[test]
fn what_is_free_and_fits_nobody_is_stranded() {
    let stranded = |id: &str, cycle: u32| {
        let example = EXAMPLES.iter().find(|e| e.id == id).expect("an example");
        let tally = Page::open(example.text, cycle).0.tally();
        (tally.free, tally.stranded)
    };
    // One GPU is free on each of four nodes; who waits needs two on one.
    assert_eq!(stranded("fragments-pinned", 2), (4.0, 4.0));
    assert_eq!(stranded("start", 0), (0.0, 0.0));
}

#[test]
fn every_queue_has_its_own_small_timeline() {
    let (mut page, frame, run) = Page::open(RESTART, 5);
    let view = trends(&page.series(), &run, &frame, None, (2, Measure::Amounts));
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
    let dominant = trends(&page.series(), &run, &frame, None, (3, Measure::Amounts));
    assert_eq!(dominant.max, 100.0, "one team held both GPUs");
    assert_eq!(dominant.tiles[0].has, "50 of 50");
}

#[test]
fn a_weight_that_is_pulled_has_a_preview() {
    let (mut page, frame, _) = Page::open(RESTART, 2);
    let edited = RESTART.replacen("weight: 1}", "weight: 3}", 1).replace("quota: 1", "quota: 0");
    let base = RESTART.replace("quota: 1", "quota: 0");
    let levels = |page: &mut Page, text: &str| {
        let (scenario, ladder) = (text.to_string(), Some(("team-a".to_string(), 2)));
        let (cycle, until, report_request) = (Some(2), 2, None);
        let ask = Ask::Alternative { scenario, cycle, ladder, until, report_request, is_early: false };
        match page.all(ask).into_iter().next() {
            Some(Say::Alternative { levels, .. }) => levels,
            other => panic!("a ghost was expected, not {other:?}"),
        }
    };
    let now = levels(&mut page, &base);
    let alternative = levels(&mut page, &edited);
    let view = with_alternative(
        division(&frame, &now[0], 2, usize::MAX),
        &division(&frame, &alternative[0], 2, usize::MAX),
        false,
    );
    let tank = |name: &str| view.tanks.iter().find(|tank| tank.name == name).expect("a tank");
    assert_eq!(tank("team-a").weight, 1.0);
    assert_eq!(tank("team-a").alternative.as_ref().map(|alternative| alternative.weight), Some(3.0));
    assert!(tank("team-b").alternative.is_none(), "nothing changes for who asks for nothing");
    let same = with_alternative(view.clone(), &division(&frame, &now[0], 2, usize::MAX), false);
    assert!(same.tanks.iter().all(|tank| tank.alternative.is_none()));
}

#[test]
fn too_many_queues_leave_those_around_the_selected_one() {
    let mut queues = String::from("- {name: root}\n");
    for i in 0..100 {
        queues +=
            &format!("- {{name: q{i}, parent: root, gpu: {{quota: 1, limit: unlimited, weight: 1}}}}\n");
    }
    let text = format!(
        "format: fairground-scenario\nversion: 1\npolicy: kai\ncycle: 1s\nnodes: [{{name: n, gpu: 8}}]\nqueues:\n{queues}jobs: [{{name: j, queue: q90, submit: 0s, gpu: 1}}]\n"
    );
    let (mut page, frame, run) = Page::open(&text, 2);
    let series = page.series();
    let names = |selected: Option<&str>| -> Vec<String> {
        let selection = selected.map(|name| Selection::Queue(name.to_string()));
        let view = trends(&series, &run, &frame, selection.as_ref(), (2, Measure::Amounts));
        view.tiles.into_iter().map(|tile| tile.name).collect()
    };
    assert_eq!(names(None), ["root"]);
    let around = names(Some("q90"));
    assert!(around.len() == 60 && around.contains(&"q90".to_string()), "{around:?}");
}

/// Two teams with adapters that the scenario names itself; a job of team-b waits for one.
const ADAPTERS: &str = "format: fairground-scenario
version: 1
policy: kai
cycle: 1s
nodes: [{name: n, gpu: 4, cpu: 16, resources: {rdma: 2}}, {name: m, gpu: 4}]
queues:
- {name: a, gpu: {quota: 4, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited, weight: 1}, \
   memory: {quota: unlimited, limit: unlimited, weight: 1}}
- {name: b, gpu: {quota: 4, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited, weight: 1}, \
   memory: {quota: unlimited, limit: unlimited, weight: 1}}
jobs:
- {name: a1, queue: a, gpu: 1, cpu: 4, resources: {rdma: 2}, lasts: 10s}
- {name: b1, queue: b, gpu: 1, resources: {rdma: 1}}
";

/// All charts and numbers can be of a resource that the scenario names.
#[test]
fn what_the_scenario_names_is_charted() {
    let (mut page, frame, run) = Page::open(ADAPTERS, 5);
    assert_eq!(frame.named, ["rdma"]);
    let shares = shares(&frame, None, None, NAMED, &[]);
    assert_eq!(shares.summary, "2 of 2 rdma allocated.");
    let row = |name: &str| {
        let row = shares.rows.iter().find(|row| row.name == name).expect("a row");
        (row.allocated, row.request, row.quota, row.fair_share, row.limit)
    };
    assert_eq!(row("a"), (2.0, 2.0, None, None, None), "nobody divides it");
    assert_eq!(row("b"), (0.0, 1.0, None, None, None));
    let line = timeline(&run, &frame, None, NAMED);
    assert_eq!(line.bands.len(), 1, "only one queue ever held some");
    assert_eq!((line.capacity.last(), line.bands[0].amounts.last()), (Some(&2.0), Some(&2.0)));
    assert!(line.summary.ends_with("2 of 2 rdma allocated at the end."), "{}", line.summary);
    let series = page.series();
    let trends = trends(&series, &run, &frame, None, (NAMED, Measure::Amounts));
    assert_eq!(trends.tiles[0].says, "a: 2 rdma allocated now, 2 requested; between 0 and 2 in the run");
    let nodes = cluster(&frame, 600.0, NAMED);
    let heads: Vec<_> = nodes.cards.iter().map(|card| card.head.as_str()).collect();
    assert_eq!(heads, ["2 of 2 rdma", "0 of 0 rdma"]);
    assert_eq!(nodes.says(&nodes.cards[0], 0), "n, rdma: a 2, 0 free");
    let cores = cluster(&frame, 600.0, 0);
    assert_eq!(cores.cards[0].head, "4 of 16 cores");
    let parts: Vec<_> =
        cores.cards[0].cells[0].parts.iter().map(|part| (part.job.as_str(), part.to)).collect();
    assert_eq!(parts, [("a", 0.25)]);
}

/// Fairness counts in the resource that is shown, from the start of the scenario on.
#[test]
fn fairness_counts_what_is_shown() {
    let (mut page, frame, _) = Page::open(ADAPTERS, 5);
    let mut tally = |resource: u8| match page.report(ReportRequest::Tally { resource }) {
        Report::Tally(tally) => fairness(&tally, &frame, None),
        other => panic!("{other:?}"),
    };
    let used = |view: &fairground_web::views::fairness::view::FairnessView| {
        view.facts[0].reading.replace('\u{a0}', " ")
    };
    // Placed at 0:01, hence held for four seconds of five.
    assert_eq!(used(&tally(2)), "4 of 40 GPU-seconds");
    assert_eq!(used(&tally(0)), "16 of 400 core-seconds");
    let rdma = tally(3);
    assert_eq!(used(&rdma), "8 of 10 rdma-seconds");
    assert_eq!(rdma.facts[2].value, "0 rdma");
    assert_eq!(rdma.table.head[4], "used, rdma-seconds");
}

/// Work and waits from before the start count in none of the numbers.
#[test]
fn fairness_has_one_span() {
    let text = "format: fairground-scenario
version: 1
policy: kai
cycle: 1s
nodes: [{name: n, gpu: 2}]
queues:
- {name: a, gpu: {quota: 1, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited, weight: 1}, \
   memory: {quota: unlimited, limit: unlimited, weight: 1}}
- {name: b, gpu: {quota: 1, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited, weight: 1}, \
   memory: {quota: unlimited, limit: unlimited, weight: 1}}
jobs:
- {name: a1, queue: a, gpu: 1, on: [n], submit: -2m, started: -2m}
- {name: a2, queue: a, gpu: 1, on: [n], submit: -1m, started: -1m}
- {name: b1, queue: b, gpu: 1, submit: -30s}
- {name: b2, queue: b, gpu: 1, submit: -20s}
";
    let (mut page, frame, _) = Page::open(text, 4);
    let tally = page.tally();
    let lost = tally.all.lost;
    assert!(tally.all.evictions == 1 && lost > 0.0 && lost <= tally.all.used, "{lost} of {}", tally.all.used);
    assert_eq!(tally.all.started, 1, "those that ran before have no wait");
    assert!(tally.all.wait_median <= 3.0, "{}", tally.all.wait_median);
    assert_eq!((tally.time_ms, tally.all.wait_now), (3000, Some(3.0)), "the span began three seconds ago");
    let summary = fairness(&tally, &frame, None).summary;
    assert!(summary.starts_with("From 0:00 to 0:03, cycle 3: "), "{summary}");
}

/// A hard gang of YuniKorn that failed is there for ever, but waits no more.
#[test]
fn a_gang_that_failed_does_not_wait() {
    let text = fairground_web::library::Example::find("gang-hard").expect("an example").text;
    let (mut page, frame, run) = Page::open(text, 60);
    let told = page.gantt(GanttBy::Job, 0, 100, "");
    let view = gantt(&told, &run, &frame, None);
    expect![[r#"
        [team]
        gang (team): submitted in cycle 0; failed by cycle 8
        single (team): submitted in cycle 6; runs since cycle 8
        2 jobs; in cycle 9: 1 running, 0 waiting, 0 finished, 1 failed or refused.
        job	queue	pods	submitted	first start	ended	cycles run	lost cycles	evictions
        gang	team	4	0	–	failed by 8	0	0	0
        single	team	1	6	8	–	2	0	0
    "#]]
    .assert_eq(&(lines(&view) + "\n" + &view.table.tsv()));
    let svg = fairground_web::views::gantt::draw::gantt(&view, 600.0);
    assert!(svg.contains(">failed</text>"), "{svg}");
    let queue = Selection::Queue("team".into());
    let why = fairground_web::words::why(&frame, Some(&run), &queue, None, 2);
    let (_, jobs) = why.list.expect("its jobs");
    let listed: Vec<String> = jobs.iter().map(|entry| entry.text.to_string()).collect();
    expect![[r#"
        `gang` failed, 5 GPUs
        `single` is running, 1 GPU"#]]
    .assert_eq(&listed.join("\n"));
    let job = Selection::Job("gang".into());
    let about = fairground_web::words::why(&frame, Some(&run), &job, None, 2).about.to_string();
    assert!(about.ends_with(" · failed"), "{about}");
    let cards = fairground_web::views::cluster::view::cluster(&frame, 600.0, 2);
    assert!(cards.summary.ends_with("; gang failed") && !cards.summary.contains("wait"), "{}", cards.summary);
}

/// What is said of the job whose pod is taken in the third cycle, at a moment.
fn said_of_a2(restart: &str, cycle: u32) -> String {
    let (_, frame, run) = Page::open(&RESTART.replace("lasts: 8s", &format!("lasts: 8s{restart}")), cycle);
    let why = why(&frame, Some(&run), &Selection::Job("a2".into()), None, 2);
    let history: Vec<String> =
        why.history.iter().map(|entry| format!("{}: {}", entry.when, entry.text.spoken())).collect();
    [why.about.spoken(), why.verdict.spoken(), why.outlook.spoken(), history.join("; "), announce(&frame, 2)]
        .join("\n")
}

#[test]
fn nobody_replaces_the_pod_that_was_taken() {
    expect![[r#"
        a2 · reclaimed, cycle 3
        a2 was evicted so that b1 can run. team-a was using 2 GPUs, 1 over its fair share of 1; with b1, team-b uses exactly its fair share of 1.
        The pod is not recreated, and its work is lost.
        cycle 1: submitted; cycle 1: started; cycle 3: reclaimed
        Cycle 3: a2 gave up its GPU for b1. team-a 1, team-b 0."#]].assert_eq(&said_of_a2(", restart: never", 3));
    expect![[r#"
        a2 · evicted
        a2 was evicted at 0:03 for b1: another queue reclaims its fair share. Its pods are not recreated, so the job is over and its work is lost.

        cycle 1: submitted; cycle 1: started; cycle 3: reclaimed; cycle 4: gone, and not recreated
        Cycle 4: b1 started on node-1; a2 is not recreated. team-a 1, team-b 1."#]].assert_eq(&said_of_a2(", restart: never", 4));
    assert!(
        said_of_a2(", restart: never", 12).starts_with("a2 · evicted\na2 was evicted at 0:03 for b1"),
        "later, too"
    );
    assert!(said_of_a2("", 12).contains("runs"), "without it, it began again");
    let (mut page, ..) = Page::open(&RESTART.replace("lasts: 8s", "lasts: 8s, restart: never"), 40);
    let row = page.gantt(GanttBy::Pod, 0, 100, "").rows.into_iter().find(|row| row.name == "a2").expect("a2");
    assert_eq!((row.known, row.bars.len(), row.bars[0].lost), ((1, Some(4)), 1, 1), "{row:?}");
    let all = page.tally().all;
    assert_eq!((all.evictions, all.restarts, all.lost, all.used), (1, 0, 2.0, 27.0));
}
