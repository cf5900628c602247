//! The page of Fairground: a pure view of one model; the engine runs in a worker behind [`engine`].

pub mod engine;
