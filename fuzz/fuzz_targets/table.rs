//! A trace of jobs as CSV, with queue sizes behind an empty line, if there is one.

#![no_main]

use fairground::import::{Mapping, Options, import, preview};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let end = bytes.windows(2).position(|pair| pair == b"\n\n");
    let (jobs, queues) = end.map_or((bytes, None), |end| (&bytes[..end], Some(&bytes[end + 2..])));
    preview(&String::from_utf8_lossy(jobs), &Mapping::default());
    if let Some(scenario) = import(jobs, queues, &Options::default()).scenario {
        fairground_fuzz::accepted(&scenario);
    }
});
