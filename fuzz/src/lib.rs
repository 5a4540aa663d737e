//! Generators and oracles for property tests.

pub mod engines;
pub mod generate;
pub mod machine;
pub mod oracles;
