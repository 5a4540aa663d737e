//! The consuming side of a `BPF_MAP_TYPE_RINGBUF`: records are handed out where they lie, nothing is copied or allocated.
//!
//! Layout (kernel/bpf/ringbuf.c): a page with the consumer's position, a page with the producers' position, then the data,
//! mapped twice in a row so that a record which wraps is contiguous. A record is a header of 8 bytes (length with two flag
//! bits, then a page offset) and its bytes, padded to 8.

use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;

use super::mapping::Mapping;
use super::page_size;

const BUSY: u32 = 1 << 31;
const DISCARDED: u32 = 1 << 30;
const HEADER: u64 = 8;
/// How many bytes may be read before the producers are told that they are free again.
const RELEASE_AFTER: u64 = 1 << 16;

/// A ring buffer's consumer. There must be one at a time.
#[derive(Debug)]
pub struct Ring {
    consumer: Mapping,
    producer_and_data: Mapping,
    mask: u64,
    /// Where the data starts in `producer_and_data`.
    data: usize,
}

impl Ring {
    /// Maps a ring of `size` data bytes, a power of two and a multiple of the page size.
    pub fn new(fd: impl AsFd, size: u32) -> io::Result<Ring> {
        let page = page_size();
        if !size.is_power_of_two() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(Ring {
            consumer: Mapping::new(fd.as_fd(), 0, page, true)?,
            producer_and_data: Mapping::new(fd.as_fd(), page as u64, page + 2 * size as usize, false)?,
            mask: u64::from(size) - 1,
            data: page,
        })
    }

    /// Hands over what was complete when it was called, oldest first, until `take` returns `false`. Records still being
    /// written stay, and so do those behind them. Returns how many were handed over.
    pub fn drain(&mut self, take: &mut dyn FnMut(&[u8]) -> bool) -> usize {
        let end = self.producer_and_data.load(0, Ordering::Acquire);
        let mut at = self.consumer.load(0, Ordering::Relaxed);
        let mut released = at;
        let mut count = 0;
        let mut more = true;
        while more && at < end {
            let place = self.data + (at & self.mask) as usize;
            let head = self.producer_and_data.load(place, Ordering::Acquire) as u32;
            if head & BUSY != 0 {
                break;
            }
            let len = head & !(BUSY | DISCARDED);
            if head & DISCARDED == 0 {
                // SAFETY: the record is complete (its busy bit is off, read with acquire), and producers write here
                // again only after the consumer's position has moved past it, which happens below.
                let record = unsafe { self.producer_and_data.bytes(place + HEADER as usize, len as usize) };
                if let Some(record) = record {
                    more = take(record);
                    count += 1;
                }
            }
            at += (u64::from(len) + HEADER).next_multiple_of(8);
            if at - released >= RELEASE_AFTER {
                self.consumer.store(0, at, Ordering::Release);
                released = at;
            }
        }
        self.consumer.store(0, at, Ordering::Release);
        count
    }

    /// Its bytes.
    pub fn size(&self) -> u64 {
        self.mask + 1
    }

    /// Bytes that producers have written and nobody has read yet.
    pub fn pending(&self) -> u64 {
        self.producer_and_data.load(0, Ordering::Acquire) - self.consumer.load(0, Ordering::Relaxed)
    }
}
