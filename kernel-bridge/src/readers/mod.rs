//! Readers of what the kernel says about itself. Comes in: bytes of files. Goes out: plain facts. Never: a panic on bad
//! bytes, or more parsing than was asked for.

pub mod btf;
pub mod kallsyms;
pub mod memory;
pub mod tracefs;
pub mod types;
pub mod whole;
