//! Waiting until every program run that is under way has ended.
//!
//! The kernel promises just that for an update of a map of maps: user space, when the call returns, knows that no program
//! still uses the old inner map. The programs of dtrail run with preemption off or under the RCU read lock, so the grace
//! period that the update waits for covers them whether or not they know that map. 8-16 ms on an idle machine.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use super::bpf::{self, MapType};

/// Waits for grace periods.
#[derive(Debug)]
pub struct Grace {
    inner: OwnedFd,
    outer: bpf::Map,
}

impl Grace {
    /// Makes the two maps.
    pub fn new() -> io::Result<Grace> {
        let inner = bpf::create_map(MapType::Array, 4, 8, 1, None)?;
        let outer = bpf::create_map(MapType::ArrayOfMaps, 4, 4, 1, Some(inner.as_fd()))?;
        Ok(Grace { inner, outer: bpf::Map::new(outer)? })
    }

    /// Waits until every run of a non-sleepable program that began before the call has ended.
    pub fn wait(&self) -> io::Result<()> {
        use std::os::fd::AsRawFd;
        self.outer.update(&0u32.to_ne_bytes(), &self.inner.as_raw_fd().to_ne_bytes())
    }
}
