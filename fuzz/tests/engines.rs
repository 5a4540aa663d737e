//! Engines agree: random D programs over random events print the same interpreted and compiled. `PROPTEST_CASES` makes it
//! longer.

use dtrail_fuzz::engines;
use dtrail_fuzz::generate::{events, typed};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

proptest! {
    // A case is six runs, half of them in an emulator: a quarter as many as elsewhere.
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases / 4,
        max_shrink_iters: 2048,
        ..ProptestConfig::default()
    })]

    #[test]
    fn compiled_programs_print_what_interpreted_ones_do(
        text in typed::program_on(events::PROBES),
        file in events::file(),
    ) {
        engines::agree(&text, &file).map_err(TestCaseError::fail)?;
    }
}

/// The test above would show nothing if no program ran.
#[test]
fn most_programs_run() {
    let mut runner = TestRunner::deterministic();
    let mut ran = 0;
    for _ in 0..30 {
        let text = typed::program_on(events::PROBES).new_tree(&mut runner).expect("it generates").current();
        let file = events::file().new_tree(&mut runner).expect("it generates").current();
        ran += u32::from(engines::agree(&text, &file).unwrap_or_else(|why| panic!("{why}")));
    }
    assert!(ran >= 20, "only {ran} of 30");
}
