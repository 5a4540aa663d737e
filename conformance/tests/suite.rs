//! The whole suite on every engine that can run here, with the quotas.

use dtrail_conformance::{case, engine, report, suite_dir};

#[test]
fn every_case_on_every_engine() {
    let cases = case::load_all(&suite_dir()).unwrap_or_else(|e| panic!("{e}"));
    let report = report::run_all(&cases);
    let ci = std::env::var_os("CI").is_some();
    let faults = report.faults(ci, engine::is_root());
    assert!(faults.is_empty(), "{}\n{}\n{}", report.misses(), report.table(), faults.join("\n"));
}
