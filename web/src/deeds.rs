//! What the page does once somebody does something: commands, links, drafts, the line to the engine.
//!
//! A visitor who only looks needs none of it, so its code is a file of its own, fetched at the first sign of a hand
//! ([`Store::wake`]) or, where the page does not begin with the start scenario, at once. The rest of the page reaches
//! it through one table of functions and nowhere else: what another way led to would not be cut out.

use std::cell::OnceCell;
use std::sync::Arc;

use fairground::scenario::{Path, Scenario};
pub use wasm_split_helpers::SplitLoaderError as NotLoaded;
use wasm_split_helpers::wasm_split;

use crate::address::{self, Fragment};
use crate::engine::protocol::{Frame, Run};
use crate::model::{Command, Ladder, Opened, Origin, Selection, later, mistake};
use crate::opening::{self, Opening};
use crate::store::Store;
use crate::words::{self, Explanation};
use crate::{library, storage};

/// What can be done.
#[derive(Clone, Copy, Debug)]
pub struct Deeds {
    /// Does as a command says.
    pub act: fn(Store, Command),
    /// Gives the engine what the page shows.
    pub begin: fn(Store),
    /// Keeps what is not kept yet, because the page ends or another document comes.
    pub keep: fn(Store),
    /// Why a text cannot be the value of a place.
    pub mistake: fn(Store, &Path, &str) -> Option<String>,
    /// The scenario with the values that hold at a moment, milliseconds since the start.
    pub at_moment: fn(&Arc<Scenario>, i64) -> Arc<Scenario>,
    /// Explains what is selected.
    pub why: fn(&Frame, Option<&Run>, &Selection, Option<&Ladder>, u8) -> Explanation,
    /// Reads the fragment of an address.
    pub read: fn(&str) -> Fragment,
    /// Forgets what is kept on this device and opens the start scenario.
    pub start_over: fn(Store),
    /// What the page opens with, where that is not the start scenario.
    pub opening: fn() -> Opening,
}

thread_local! {
    static HERE: OnceCell<Deeds> = const { OnceCell::new() };
}

/// The table, if it is there already.
pub fn now() -> Option<Deeds> {
    HERE.with(|here| here.get().copied())
}

/// The table, fetched if need be.
pub async fn fetched() -> Result<Deeds, NotLoaded> {
    let deeds = table().await?;
    Ok(HERE.with(|here| *here.get_or_init(|| deeds)))
}

#[wasm_split(deeds, fallible)]
fn table() -> Result<Deeds, NotLoaded> {
    Ok(Deeds {
        act: Store::act,
        begin: Store::begin_run,
        keep: Store::keep,
        mistake: |store, at, text| store.now(|model| mistake(model, at, text)),
        at_moment: |scenario, time_ms| later::at_moment(scenario, time_ms),
        why: words::why,
        read: address::read,
        start_over: |store| {
            storage::wipe();
            address::clear_bar();
            store.act(Command::Open(Box::new(Opened::new(library::start(), Origin::Start))));
        },
        opening: opening::of_visitor,
    })
}
