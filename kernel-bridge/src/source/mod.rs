//! Event sources: each turns what happens on a machine, or in a file, into calls of an event sink.

pub mod synthetic_event;
