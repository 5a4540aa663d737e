//! The `dtrail` command: options in, exit status out; wires the crates together.

mod options;

fn main() {
    let _ = options::parse(std::env::args_os().skip(1));
}
