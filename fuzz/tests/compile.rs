//! From text to IR: what is well typed compiles, and everything else gets an answer. `PROPTEST_CASES` makes it longer.

use dtrail_fuzz::generate::{damage, tree, typed};
use dtrail_fuzz::oracles;
use dtrail_lang::ast::print;
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #[test]
    fn well_typed_programs_compile(text in typed::program()) {
        oracles::compiles(&text).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn damaged_programs_get_an_answer(text in typed::program(), damages in vec(damage::damage(), 1..4)) {
        oracles::is_judged(&damage::damaged(&text, &damages)).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn random_trees_get_an_answer(program in tree::program()) {
        oracles::is_judged(&print::program(&program)).map_err(TestCaseError::fail)?;
    }
}
