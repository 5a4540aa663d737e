//! Principal buffers of live sources (runtime spec §12.1): what a burst leaves in small ones, to the record and CPU by CPU.
//! What cannot run here says `skipped: why`.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use dtrail_conformance::workload::{sources, steps};

const DTRAIL: &str = env!("CARGO_BIN_EXE_dtrail");

/// CPUs that a command can be bound to.
fn cpus() -> Vec<u32> {
    let may = |cpu: &u32| {
        let bound =
            Command::new("taskset").args(["-c", &cpu.to_string(), "true"]).stderr(Stdio::null()).status();
        bound.is_ok_and(|status| status.success())
    };
    (0..64).filter(may).take(2).collect()
}

/// A script that makes so many calls of getpid(2) on each of these CPUs at once; gone with the value.
struct Burst(PathBuf);

impl Burst {
    fn new(steps: &str, name: &str, calls: u64, cpus: &[u32]) -> Burst {
        let path = std::env::temp_dir().join(format!("dtrail-burst-{}-{name}", std::process::id()));
        let each = cpus.iter().map(|cpu| format!("taskset -c {cpu} {steps} getpid={calls} &\n"));
        let text = format!("#!/bin/sh\n{}wait\n", each.collect::<String>());
        std::fs::write(&path, text).expect("there is room");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("ours");
        Burst(path)
    }

    /// Traces it with a program and options: rows, and drops of records by CPU.
    fn traced(&self, source: &str, options: &[&str], program: &str) -> (Vec<u64>, BTreeMap<u32, u64>) {
        let output = Command::new(DTRAIL)
            .args(["--source", source, "-q", "-xbufsize=4k"])
            .args(options)
            .args(["-n", program, "-c", &self.0.display().to_string()])
            .stdin(Stdio::null())
            .output()
            .expect("it starts");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{source} {options:?}: {err}");
        let rows = out.lines().map(str::trim).filter(|line| !line.is_empty());
        let rows = rows.map(|line| line.parse().expect("a number"));
        let mut drops = BTreeMap::new();
        for line in err.lines().filter(|line| !line.starts_with("dtrail: help: ")) {
            let words: Vec<_> = line.split(' ').collect();
            let &["dtrail:", count, "drop" | "drops", "on", "CPU", cpu] = words.as_slice() else {
                panic!("{source} {options:?} says {line}");
            };
            *drops.entry(cpu.parse().expect("a CPU")).or_insert(0) += count.parse::<u64>().expect("a count");
        }
        (rows.collect(), drops)
    }
}

impl Drop for Burst {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// What is printed and what is told as lost are all that happened, on each CPU.
#[test]
fn rows_and_drops_are_all_firings_of_each_cpu() {
    let (Some(steps), cpus) = (steps(), cpus()) else { return };
    for source in sources() {
        let calls = if source == "bpf" { 100_000 } else { 2_000 };
        let burst = Burst::new(steps, "switch", calls, &cpus);
        let program =
            "syscall::getpid:entry /execname == \"steps\" && progenyof($target)/ { printf(\"%d\\n\", cpu); }";
        let (rows, drops) = burst.traced(source, &[], program);
        for &cpu in &cpus {
            let printed = rows.iter().filter(|&&row| row == u64::from(cpu)).count() as u64;
            let lost = drops.get(&cpu).copied().unwrap_or(0);
            assert_eq!(printed + lost, calls, "{source}: CPU {cpu}: {printed} printed, {lost} lost");
        }
        // Under ptrace the process waits for its tracer; the kernel's programs wait for nobody.
        assert_eq!(drops.keys().copied().collect::<Vec<_>>(), if source == "bpf" { &cpus[..] } else { &[] });
    }
}

/// A row of an integer takes 24 bytes: of 4096, 169 are there besides that of `END`. The firing that finds no room is the
/// last one that counts, in the kernel too.
#[test]
fn a_full_buffer_of_fill_ends_tracing_with_what_fits() {
    let (Some(steps), cpus) = (steps(), cpus()) else { return };
    let program = "syscall::getpid:entry /execname == \"steps\" && progenyof($target)/ { printf(\"%d\\n\", ++n); } END { printf(\"%d\\n\", 7); }";
    for source in sources() {
        let burst = Burst::new(steps, "fill", 20_000, &cpus[..1]);
        let counts = program.replace("++n);", "++n); @ = count();");
        let (rows, drops) = burst.traced(source, &["-xbufpolicy=fill"], &counts);
        assert_eq!(rows, (1..=169).chain([7, 170]).collect::<Vec<u64>>(), "{source}");
        assert_eq!(drops, BTreeMap::new(), "{source}");
        // Each CPU has a buffer of its own, and the first that is full ends it.
        let burst = Burst::new(steps, "fill-each", 20_000, &cpus);
        let (rows, drops) = burst.traced(source, &["-xbufpolicy=fill"], &program.replace("++n", "cpu + 100"));
        let on = |cpu: &u32| rows.iter().filter(|&&row| row == u64::from(*cpu) + 100).count();
        assert_eq!(cpus.iter().map(on).max(), Some(169), "{source}");
        assert_eq!((rows.last(), drops), (Some(&7), BTreeMap::new()), "{source}");
    }
}

/// Of 4096 bytes a ring holds the last 170 rows.
#[test]
fn a_ring_keeps_the_newest_of_each_cpu() {
    let (Some(steps), cpus) = (steps(), cpus()) else { return };
    for source in sources() {
        let calls = if source == "bpf" { 20_000 } else { 2_000 };
        let burst = Burst::new(steps, "ring", calls, &cpus);
        let program = "syscall::getpid:entry /execname == \"steps\" && progenyof($target)/ { printf(\"%d\\n\", ++n[cpu] * 100 + cpu); }";
        let (rows, drops) = burst.traced(source, &["-xbufpolicy=ring"], program);
        let expected = |&cpu: &u32| (calls - 169..=calls).map(move |n| n * 100 + u64::from(cpu));
        assert_eq!(rows, cpus.iter().flat_map(expected).collect::<Vec<_>>(), "{source}");
        assert_eq!(drops, BTreeMap::new(), "{source}");
    }
}
