//! `cargo run -p dtrail-conformance [FILTER]`: runs the cases whose name contains FILTER (all without one) and prints the
//! table engine × cases. With `DTRAIL_BLESS=1` it writes what `interp` prints (or the case's own engine) into the `.out` and `.err` files.
#![allow(clippy::print_stdout, reason = "a command's report goes to its standard output")]

use std::process::ExitCode;

use dtrail_conformance::{case, engine, judge, report, run, suite_dir};

fn main() -> ExitCode {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let cases = match case::load_all(&suite_dir()) {
        Ok(cases) => cases,
        Err(e) => {
            println!("{e}");
            return ExitCode::FAILURE;
        }
    };
    let whole = filter.is_empty();
    let cases: Vec<_> = cases.into_iter().filter(|case| case.name.contains(&filter)).collect();
    if std::env::var_os("DTRAIL_BLESS").is_some() {
        return bless(&cases);
    }
    let report = report::run_all(&cases);
    print!("{}{}", report.misses(), report.table());
    let ci = std::env::var_os("CI").is_some();
    let faults = report.faults(ci, engine::is_root());
    let faults: Vec<_> = faults.into_iter().filter(|fault| whole || fault.contains("miss")).collect();
    for fault in &faults {
        println!("FAILED: {fault}");
    }
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes what `interp` gives, or the first engine that the case names; the reader of the diff is the judge then.
fn bless(cases: &[case::Case]) -> ExitCode {
    for case in cases {
        let engine = case.engines.first().copied().unwrap_or(engine::Engine::Interp);
        let ran = run::run(case, engine);
        let err = judge::as_in_a_file(case, &ran.err);
        let write =
            |extension: &str, bytes: &[u8]| std::fs::write(case.program.with_extension(extension), bytes);
        let mut results = Vec::new();
        if !ran.out.is_empty() || case.program.with_extension("out").exists() {
            results.push(write("out", &ran.out));
        }
        if case.err.is_some() {
            results.push(write("err", err.as_bytes()));
        }
        if let Some(e) = results.into_iter().find_map(Result::err) {
            println!("{}: {e}", case.name);
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
