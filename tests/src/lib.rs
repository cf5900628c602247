//! Runners of recorded and written cases.
