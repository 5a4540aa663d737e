//! The `dtrail` command: options in, exit status out; wires the crates together.

fn main() {}
