//! Conformance cases and the engines they run on.
