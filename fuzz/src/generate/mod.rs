//! Random inputs, from bytes to well-formed trees. Judges nothing: that is [`crate::oracles`].

pub mod damage;
pub mod events;
pub mod tree;
pub mod typed;
