//! Generators and oracles for property tests.
