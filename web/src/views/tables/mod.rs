//! Views that only some policies offer, as tables.

pub mod component;
