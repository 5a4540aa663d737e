//! Generators and oracles for property tests.

pub mod generate;
pub mod machine;
pub mod oracles;
