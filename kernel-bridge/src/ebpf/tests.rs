//! The ops, one after the other: IR text, emitted, run, compared with what the op's comment says.

use super::testing::{Bench, Sent, TestEvent, Value, int, one_block, run};

mod control;
mod fill;
mod ints;
mod limits;
mod memory;
mod speculation;
mod speed;
mod state;
mod strings;
