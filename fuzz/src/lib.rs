//! What every target does with an input that it accepts, and links around any content.

use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fairground::export::{KitRun, export};
use fairground::link;
use fairground::moment::{self, Names};
use fairground::policy::Policy;
use fairground::scenario::{Scenario, check, read, to_json, to_yaml};
use fairground::sim::Simulation;
use fairground::trace::Level;
use fairground::translate::translate;
use fairground::units::Resource;
use fairground::words::{self, Selection};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec;

/// Folder of the corpus, if seeds that no file of the repository contains are to be written into it.
const CORPUS: &str = "FUZZ_CORPUS";

/// Larger scenarios are checked, written and read, but not run: a fuzzer needs many inputs per second.
const PODS_RUN: usize = 200;
const NODES_RUN: usize = 50;
const CYCLES: u32 = 6;

/// Checks a scenario. One that can be run is written, read again, translated, exported and run for some cycles, of
/// which every moment is explained.
pub fn accepted(scenario: &Scenario) {
    let Some(plan) = check(scenario).plan else { return };
    reads_back(scenario);
    if plan.cluster.pods.len() > PODS_RUN || plan.cluster.nodes.len() > NODES_RUN {
        return;
    }
    for policy in Policy::NAMES {
        check(&translate(scenario, policy).expect("a known policy").scenario);
    }
    let _ = (export(scenario, None), KitRun::new(scenario).map(|mut run| run.work()));
    let mut simulation = Simulation::new(&plan);
    simulation.set_level(Level::Decisive);
    let names = Arc::new(Names::of(&scenario.policy, simulation.cluster()));
    while simulation.cycle() < CYCLES {
        let Some(record) = simulation.advance() else { break };
        let frame = moment::frame(&names, &simulation, &record);
        let jobs = frame.jobs.iter().map(|job| Selection::Job(job.name.clone()));
        let queues = frame.queues.iter().map(|queue| Selection::Queue(queue.name.clone()));
        let nodes = frame.nodes.iter().map(|node| Selection::Node(node.name.clone()));
        let events =
            (0..frame.events.len() as u32).map(|index| Selection::Event { cycle: frame.cycle, index });
        for selection in jobs.chain(queues).chain(nodes).chain(events) {
            words::why(&frame, None, &selection, None, Resource::GPU);
        }
    }
}

/// What is written is the same when it is read again.
fn reads_back(scenario: &Scenario) {
    assert_eq!(read(&to_yaml(scenario)).scenario.as_ref(), Some(scenario), "through YAML");
    assert_eq!(read(&to_json(scenario)).scenario.as_ref(), Some(scenario), "through JSON");
    if let Some(text) = link::encode_within_limit(scenario) {
        assert_eq!(link::decode(&text).as_ref(), Ok(scenario), "through a link");
    }
}

/// The text of a link with any content: its length and checksum are right.
pub fn linked(content: &[u8]) -> String {
    let data = URL_SAFE_NO_PAD.encode(compress_to_vec(content, 1));
    let n = data.len() + 4;
    let digits = URL_SAFE.as_str().as_bytes();
    let length: String = (0..4).rev().map(|i| char::from(digits[n >> (6 * i) & 63])).collect();
    let mut text = format!("d1.{length}{data}.");
    let mut rest = crc32(text.as_bytes());
    let mut checksum = [0; 7];
    for digit in checksum.iter_mut().rev() {
        *digit = b"0123456789abcdefghijklmnopqrstuvwxyz"[(rest % 36) as usize];
        rest /= 36;
    }
    text.extend(checksum.map(char::from));
    text
}

/// The content of a whole link.
pub fn content(link: &str) -> Option<Vec<u8>> {
    let data = link.strip_prefix("d1.")?.get(4..)?.split('.').next()?;
    decompress_to_vec(&URL_SAFE_NO_PAD.decode(data).ok()?).ok()
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, &byte: &u8| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    };
    !bytes.iter().fold(!0, step)
}

/// Writes the scenarios below `assets` into the corpus in the form of a target, before the corpus is read.
pub fn seed(form: impl Fn(&Scenario) -> Option<Vec<u8>>) {
    let Some(corpus) = std::env::var_os(CORPUS).map(PathBuf::from) else { return };
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/scenarios");
    for entry in std::fs::read_dir(assets).expect("the examples").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("an example");
        if let Some(bytes) = read(&text).scenario.as_ref().and_then(&form) {
            std::fs::write(corpus.join(entry.file_name()), bytes).expect("a folder for the corpus");
        }
    }
}
