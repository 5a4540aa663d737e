//! What is said where descriptors run out before tracing begins: that, and what helps against it. What cannot run here says
//! `skipped: why`.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::process::Command;

use dtrail_conformance::workload::{skipped, sources};

/// What is said with each number of descriptors from few to enough, in which runs.
fn said(args: &[&str]) -> Option<Vec<String>> {
    let run = |descriptors: u32| {
        let limit = format!("--nofile={descriptors}");
        let out =
            Command::new("prlimit").args([&limit, env!("CARGO_BIN_EXE_dtrail")]).args(args).output().ok()?;
        Some(String::from_utf8_lossy(&out.stderr).into_owned())
    };
    (5..40).map(run).collect()
}

#[test]
fn too_few_descriptors_are_told_with_what_raises_them() {
    for source in sources() {
        let program = "syscall::write:entry /pid == $target/ { @ = count(); }";
        let Some(said) = said(&["--source", source, "-qn", program, "-c", "sleep 0.01"]) else {
            return skipped("prlimit is missing");
        };
        let told: Vec<&String> = said.iter().filter(|text| text.contains("Too many open files")).collect();
        assert!(told.len() >= 2, "{source}: {said:?}");
        for text in told {
            let helped = text.contains("raise `ulimit -n`");
            assert!(helped, "{source}: {text}");
        }
        for text in &said {
            assert!(!text.contains("run as root") && !text.contains("CONFIG_"), "{source}: {text}");
        }
        // Enough is enough.
        assert_eq!(said.last().map(String::as_str), Some(""), "{source}");
    }
}
