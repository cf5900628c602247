//! The fair-share simulator's engine.
