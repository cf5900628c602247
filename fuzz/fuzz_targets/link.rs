//! A link: as typed, and with the input as its content.

#![no_main]

use fairground::link;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: fairground_fuzz::seed(|scenario| fairground_fuzz::content(&link::encode(scenario))), |bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = link::open(text);
        link::looks_like_link(text);
    }
    if let Ok(linked) = link::open(&fairground_fuzz::linked(bytes)) {
        fairground_fuzz::accepted(&linked.scenario);
    }
});
