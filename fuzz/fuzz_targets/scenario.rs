//! A scenario file, YAML or JSON.

#![no_main]

use fairground::scenario;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let loaded = scenario::load(text, |scenario| scenario);
    if let (Some(scenario), Some(_)) = (loaded.scenario, loaded.plan) {
        fairground_fuzz::accepted(&scenario);
    }
});
