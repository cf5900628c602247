//! The runner's `--why` and WHY on the page say the same about every pending job of the examples.

use fairground::units::Resource;
use std::fmt::Write;
use std::sync::Arc;

use fairground::moment::{self, Names};
use fairground::scenario::check;
use fairground::sim::Simulation;
use fairground::trace::Level;
use fairground::words::{self, Selection};
use fairground_web::engine::parcel::{Catalogues, Unpacking, pack};
use fairground_web::engine::protocol::{Frame, Message, MomentRequest, Request, Response};
use fairground_web::engine::serve::Server;
use fairground_web::library::{EXAMPLES, Example};

const CYCLES: u32 = 4;

/// The engine behind its protocol: replies arrive as bytes.
#[derive(Default)]
struct Page {
    server: Server,
    ours: Catalogues,
    theirs: Catalogues,
}

impl Page {
    fn frame(&mut self, ask: MomentRequest) -> Frame {
        let mut replies = self.server.handle(Message { generation: 1, body: Request::Moment(ask) });
        while self.server.is_busy() {
            replies.extend(self.server.work());
        }
        let mut read = Unpacking::new(pack(replies, &mut self.ours));
        while read.read_rows() {}
        let frames = read.finish(&mut self.theirs).into_iter().filter_map(|reply| match reply.body {
            Response::Moment(moment) => moment.frame,
            _ => None,
        });
        *frames.last().expect("a frame")
    }
}

/// The verdicts on the pending jobs of an example; fails if the two differ.
fn verdicts(example: &Example) -> String {
    let plan = check(&example.scenario()).plan.expect("examples can run");
    let mut sim = Simulation::new(&plan);
    sim.set_level(Level::Decisive);
    let names = Arc::new(Names::of(plan.policy.key(), sim.cluster()));
    let mut page = Page::default();
    page.frame(MomentRequest::main_at(&Arc::new(example.scenario()), 0));
    let (mut text, mut last) = (String::new(), String::new());
    while sim.cycle() < CYCLES && !sim.is_quiet() {
        let Some(record) = sim.advance() else { break };
        let runner = moment::frame(&names, &sim, &record);
        let shown = page.frame(MomentRequest::go_to(record.cycle));
        let resource = if shown.total[2] > 0.0 { Resource::GPU } else { Resource::CPU };
        let why = |of: &Selection| words::why(&shown, None, of, None, resource).lines();
        for (index, explanation) in words::decided(&runner) {
            let event = Selection::Event { cycle: record.cycle, index };
            assert_eq!(why(&event), explanation.lines(), "{} {}", example.id, record.cycle);
        }
        let mut said = String::new();
        for refusal in &runner.refusals {
            let job = runner.job(refusal.job);
            let lines = words::waiting(&runner, refusal).lines();
            let mut events = runner.events.iter().filter(|event| event.word().is_eviction());
            // On the page, an eviction in the cycle takes precedence.
            if !events.any(|event| runner.job_of(event) == Some(refusal.job)) {
                assert_eq!(why(&Selection::Job(job.to_string())), lines, "{} {job}", example.id);
            }
            let next = lines.iter().rfind(|line| line.starts_with("Next: "));
            let _ = writeln!(said, "  {job}: {} {}", lines[0], next.map_or("", String::as_str));
        }
        if said != last {
            let _ = write!(text, " cycle {}\n{said}", record.cycle);
        }
        last = said;
    }
    text
}

/// `FAIRGROUND_UPDATE=1` rewrites the file.
#[test]
fn runner_and_page_say_the_same_of_every_waiting_job() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/verdicts.txt");
    let mut text = String::new();
    for example in EXAMPLES {
        let said = verdicts(example);
        if !said.is_empty() {
            let _ = write!(text, "{}\n{said}", example.id);
        }
    }
    if std::env::var_os("FAIRGROUND_UPDATE").is_some() {
        std::fs::write(path, &text).expect("the file can be written");
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    let differs = kept.lines().zip(text.lines()).find(|(kept, now)| kept != now);
    assert!(kept == text, "verdicts changed, read them and run again with FAIRGROUND_UPDATE=1: {differs:?}");
}
