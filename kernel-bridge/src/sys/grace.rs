//! Waiting until every program run that is under way has ended.
//!
//! The kernel promises just that for an update of a map of maps: user space, when the call returns, knows that no program
//! still uses the old inner map. The programs of dtrail run with preemption off or under the RCU read lock, so the grace
//! period that the update waits for covers them whether or not they know that map. 8-16 ms on an idle machine.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use super::bpf::{self, MapType, NewMap};

/// Waits for grace periods.
#[derive(Debug)]
pub struct Grace {
    inner: OwnedFd,
    outer: bpf::Map,
}

impl Grace {
    /// Makes the two maps.
    pub fn new() -> io::Result<Grace> {
        let new = NewMap {
            name: "grace_inner",
            kind: MapType::Array,
            key_size: 4,
            value_size: 8,
            max_entries: 1,
            flags: 0,
            inner: None,
        };
        let inner = bpf::create_map(&new)?;
        let (kind, value_size) = (MapType::ArrayOfMaps, 4);
        let outer =
            bpf::create_map(&NewMap { name: "grace", kind, value_size, inner: Some(inner.as_fd()), ..new })?;
        Ok(Grace { inner, outer: bpf::Map::new(outer)? })
    }

    /// Waits until every run of a non-sleepable program that began before the call has ended.
    pub fn wait(&self) -> io::Result<()> {
        use std::os::fd::AsRawFd;
        self.outer.update(&0u32.to_ne_bytes(), &self.inner.as_raw_fd().to_ne_bytes())
    }
}
