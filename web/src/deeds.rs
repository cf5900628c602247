//! What the page does once somebody does something: commands, links, drafts, the line to the engine.
//!
//! A visitor who only looks needs none of it, so its code is a file of its own, fetched at the first sign of a hand
//! ([`Store::wake`]) or, where the page does not begin with the start scenario, at once. The rest of the page reaches
//! it through one table of functions and nowhere else: what another way led to would not be cut out.

use std::cell::OnceCell;
use std::sync::Arc;

use fairground::scenario::{Path, Scenario};
use leptos::prelude::{Get, UpdateValue, With};
pub use wasm_split_helpers::SplitLoaderError as NotLoaded;
#[cfg(feature = "page")]
use wasm_split_helpers::wasm_split;

use crate::address::{self, Fragment};
use crate::charts::timeline::Over;
use crate::charts::timeline_over;
use crate::edge::Edge;
use crate::engine::protocol::{Frame, Rulebook, Run};
use crate::model::kinds::{self, LaneLook};
use crate::model::{Command, Ladder, Model, Opened, Order, Origin, Selection, later, mistake};
use crate::opening::{self, Opening};
use crate::store::Store;
use crate::view_model::Table;
use crate::view_model::before::{self, Ghost};
use crate::view_model::cluster::ClusterView;
use crate::view_model::cluster_ghosts;
use crate::view_model::shares::{self, SharesView};
use crate::view_model::stand_out;
use crate::view_model::timeline::{self, TimelineView};
use crate::view_model::typed;
use crate::words::{self, Explanation};
use crate::{library, storage};

/// What is known of what is selected: how its fair share came about, where it stands, the rules, and the scenario.
pub type Derived<'a> = (Option<&'a Ladder>, Option<&'a Order>, Option<&'a Rulebook>, &'a Scenario);

/// What the line about an edit says.
#[derive(Clone, Debug, PartialEq)]
pub struct Since {
    /// The edit is made, charts show how it was before.
    pub was: bool,
    /// Its words, before what stands out.
    pub lead: &'static str,
    /// What stands out.
    pub says: String,
    /// Its name, and all of it on pointing.
    pub title: [String; 2],
}

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
    /// What a typed value comes to in the form of the page, where it is not written so.
    pub normal: fn(&Path, &str) -> Option<String>,
    /// The scenario with the values that hold at a moment, milliseconds since the start.
    pub at_moment: fn(&Arc<Scenario>, i64) -> Arc<Scenario>,
    /// Explains what is selected.
    pub why: fn(&Frame, Option<&Run>, &Selection, Derived<'_>, u8) -> Explanation,
    /// Says in a chart's summary what became of the queues since a change: the frame, how it was, and the change.
    pub say_since: fn(&mut SharesView, &Frame, Ghost<'_>),
    /// Lays what was before the last edit, or would be, behind the present run.
    pub lay_behind: fn(&mut TimelineView, &Run, (&Run, Ghost<'_>)),
    /// Marks in Cluster what another run holds otherwise, of a resource.
    pub lay_ghosts: fn(&mut ClusterView, &Frame, Ghost<'_>, u8),
    /// What the lane of events shows.
    pub lane: fn(&Model) -> LaneLook,
    /// Puts into Timeline what is looked at.
    pub stand_out: fn(&mut TimelineView, &Run, &Frame, &LaneLook),
    /// Timeline as a table of amounts and one of events.
    pub timeline_tables: fn(&TimelineView) -> [Table; 2],
    /// Draws it over the areas.
    pub over: Over,
    /// What an edit that is being made would do, or what the last one did.
    pub since: fn(Store) -> Option<Since>,
    /// Reads the fragment of an address.
    pub read: fn(&str) -> Fragment,
    /// The document of an entry of the browser's history, and its fragment.
    pub returned: fn(&str, &str) -> Option<Box<Opened>>,
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

#[cfg(feature = "page")]
#[wasm_split(deeds, fallible)]
fn table() -> Result<Deeds, NotLoaded> {
    Ok(all())
}

/// Only the page's module is cut.
#[cfg(not(feature = "page"))]
async fn table() -> Result<Deeds, NotLoaded> {
    Ok(all())
}

fn all() -> Deeds {
    Deeds {
        act: Store::act,
        begin: Store::begin_run,
        keep: Store::keep,
        mistake: |store, at, text| store.now(|model| mistake(model, at, text)),
        normal: typed::normal,
        at_moment: |scenario, time_ms| later::at_moment(scenario, time_ms),
        why: |frame, run, selection, (ladder, order, rules, scenario), resource| {
            if let Selection::Rule(key) = selection {
                return words::rule(frame, key, rules, scenario);
            }
            let mut explanation = words::why(frame, run, selection, ladder, resource);
            words::put_order(&mut explanation, frame, selection, order);
            explanation
        },
        say_since: shares::say_since,
        lay_behind: timeline::lay_behind,
        lay_ghosts: cluster_ghosts::lay_ghosts,
        lane: kinds::lane,
        stand_out: stand_out::stand_out,
        timeline_tables: |view| [timeline::table(view), timeline::events_table(view)],
        over: timeline_over::over,
        since,
        read: address::read,
        returned: opening::returned,
        start_over: |store| {
            store.edge().update_value(Edge::forget);
            storage::wipe();
            address::clear_bar();
            store.open_in_place(Opened::new(library::start(), Origin::Start));
        },
        opening: opening::of_visitor,
    }
}

fn since(store: Store) -> Option<Since> {
    let (frame, run) = (store.frame.get()?, store.run.get()?);
    if store.changed.get().is_none() && store.ghost.with(Option::is_some) {
        let says = before::as_edited(&run, &*store.ghost_run.get()?)?;
        let title = "Held against the present run".to_string();
        return Some(Since { was: false, lead: "as edited ", says, title: [title.clone(), title] });
    }
    let before = store.before.get()?;
    let title = before::says(&before, &frame, &run, store.resource.get());
    let title = ["Held against how it was before".to_string(), title];
    Some(Since { was: true, lead: "before ", says: before.changed.clone(), title })
}
