//! Reader and writer of `queues.yaml`, YuniKorn's configuration format; the reader reports every error.
//!
//! Source: apache/yunikorn-core, `pkg/common/configs/config.go`; the meaning of the keys: yunikorn.md 1.1 to 1.4, 8.

mod read;
mod write;

pub use read::{Fault, Reader};
pub use write::{file, limits, rules};
