//! Conformance cases and the engines they run on.
//!
//! A case is a D program with what it must print (`suite/TOPIC/KIND.NAME.d` beside `.out`, `.err` and `.events`). It runs
//! on every engine that this process may use, through the same library call as the `dtrail` command, and what comes out
//! is compared byte for byte with the files, and so with every other engine. docs/testing.md says how to write one.

pub mod case;
pub mod engine;
pub mod judge;
pub mod report;
pub mod run;
pub mod workload;

use std::path::PathBuf;

/// Where the cases are.
pub fn suite_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("suite")
}
