//! A scenario as messages between page and worker carry it.

#![no_main]

use fairground::scenario::Scenario;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: fairground_fuzz::seed(|scenario| postcard::to_stdvec(scenario).ok()), |bytes: &[u8]| {
    if let Ok(scenario) = postcard::from_bytes::<Scenario>(bytes) {
        fairground_fuzz::accepted(&scenario);
    }
});
