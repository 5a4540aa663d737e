//! bpf(2) on maps and programs whose sizes are known only at run time. aya's typed maps want them at compile time.

use std::cell::RefCell;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use super::cpus;

mod verify;

pub use verify::{Check, Verdict, check};

/// Commands, as `enum bpf_cmd` numbers them.
mod cmd {
    pub(super) const MAP_CREATE: u32 = 0;
    pub(super) const MAP_LOOKUP_ELEM: u32 = 1;
    pub(super) const MAP_UPDATE_ELEM: u32 = 2;
    pub(super) const MAP_DELETE_ELEM: u32 = 3;
    pub(super) const MAP_GET_NEXT_KEY: u32 = 4;
    pub(super) const PROG_LOAD: u32 = 5;
    pub(super) const PROG_TEST_RUN: u32 = 10;
    pub(super) const OBJ_GET_INFO_BY_FD: u32 = 15;
    pub(super) const MAP_LOOKUP_BATCH: u32 = 24;
    pub(super) const MAP_DELETE_BATCH: u32 = 27;
}

/// The map types that are handled here, as `enum bpf_map_type` numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[allow(missing_docs, reason = "the kernel's names")]
pub enum MapType {
    Hash = 1,
    Array = 2,
    PercpuHash = 5,
    PercpuArray = 6,
    ArrayOfMaps = 12,
    Ringbuf = 27,
    TaskStorage = 29,
}

impl MapType {
    const ALL: [MapType; 7] = [
        MapType::Hash,
        MapType::Array,
        MapType::PercpuHash,
        MapType::PercpuArray,
        MapType::ArrayOfMaps,
        MapType::Ringbuf,
        MapType::TaskStorage,
    ];

    /// Whether a value has a copy per CPU.
    pub fn per_cpu(self) -> bool {
        matches!(self, MapType::PercpuHash | MapType::PercpuArray)
    }

    /// Whether entries come and go.
    pub fn is_hash(self) -> bool {
        matches!(self, MapType::Hash | MapType::PercpuHash)
    }
}

/// `union bpf_attr`, the members that are used here. Everything else is zero.
#[repr(C, align(8))]
union Attr {
    zero: [u64; 20],
    create: CreateAttr,
    elem: ElemAttr,
    batch: BatchAttr,
    test: TestAttr,
    info: InfoAttr,
    load: LoadAttr,
    check: verify::CheckAttr,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct CreateAttr {
    map_type: u32,
    key_size: u32,
    value_size: u32,
    max_entries: u32,
    map_flags: u32,
    inner_map_fd: u32,
    numa_node: u32,
    name: [u8; 16],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct ElemAttr {
    map_fd: u32,
    key: u64,
    /// Value, or next key.
    value: u64,
    flags: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct BatchAttr {
    in_batch: u64,
    out_batch: u64,
    keys: u64,
    values: u64,
    count: u32,
    map_fd: u32,
    elem_flags: u64,
    flags: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct TestAttr {
    prog_fd: u32,
    retval: u32,
    data_size_in: u32,
    data_size_out: u32,
    data_in: u64,
    data_out: u64,
    repeat: u32,
    duration: u32,
    ctx_size_in: u32,
    ctx_size_out: u32,
    ctx_in: u64,
    ctx_out: u64,
    flags: u32,
    cpu: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct LoadAttr {
    prog_type: u32,
    insn_cnt: u32,
    insns: u64,
    license: u64,
    log_level: u32,
    log_size: u32,
    log_buf: u64,
    kern_version: u32,
    prog_flags: u32,
    name: [u8; 16],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct InfoAttr {
    fd: u32,
    len: u32,
    info: u64,
}

impl Attr {
    fn zero() -> Attr {
        Attr { zero: [0; 20] }
    }
}

/// The one call.
///
/// # Safety
/// Every pointer in `attr` points to as many bytes as the command reads or writes there.
unsafe fn bpf(command: u32, attr: &mut Attr) -> io::Result<i64> {
    // SAFETY: `attr` is larger than what the kernel reads for any command used; the caller vouches for what it points to.
    let result = unsafe {
        libc::syscall(libc::SYS_bpf, command, std::ptr::from_mut(attr), std::mem::size_of::<Attr>() as u32)
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn fd_number(fd: BorrowedFd<'_>) -> u32 {
    fd.as_raw_fd() as u32
}

fn address(bytes: &[u8]) -> u64 {
    bytes.as_ptr() as u64
}

fn address_mut(bytes: &mut [u8]) -> u64 {
    bytes.as_mut_ptr() as u64
}

/// A map to make. Those that programs only look things up in are aya's.
#[derive(Clone, Copy, Debug)]
pub struct NewMap<'a> {
    /// Shown by tools; at most 15 bytes of letters, digits, `_` and `.`.
    pub name: &'a str,
    /// Its type.
    pub kind: MapType,
    /// Bytes of a key.
    pub key_size: u32,
    /// Bytes of a value.
    pub value_size: u32,
    /// Entries, at most.
    pub max_entries: u32,
    /// `BPF_F_…`
    pub flags: u32,
    /// A map like those that a map of maps holds.
    pub inner: Option<BorrowedFd<'a>>,
}

/// Makes a map.
pub fn create_map(new: &NewMap<'_>) -> io::Result<OwnedFd> {
    let mut name = [0; 16];
    for (place, byte) in name.iter_mut().zip(new.name.bytes().take(15)) {
        *place = byte;
    }
    let mut attr = Attr::zero();
    attr.create = CreateAttr {
        map_type: new.kind as u32,
        key_size: new.key_size,
        value_size: new.value_size,
        max_entries: new.max_entries,
        map_flags: new.flags,
        inner_map_fd: new.inner.map_or(0, fd_number),
        numa_node: 0,
        name,
    };
    // SAFETY: the command has no pointers.
    let fd = unsafe { bpf(cmd::MAP_CREATE, &mut attr)? };
    // SAFETY: a new descriptor that nobody else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// A map, with the sizes that the kernel says it has.
#[derive(Debug)]
pub struct Map {
    fd: OwnedFd,
    kind: MapType,
    key_size: usize,
    value_size: usize,
    max_entries: u32,
    /// Whether the kernel has batched commands for it; cleared when it says no.
    batches: bool,
}

/// The start of `struct bpf_map_info`.
#[repr(C)]
#[derive(Default)]
struct MapInfo {
    map_type: u32,
    id: u32,
    key_size: u32,
    value_size: u32,
    max_entries: u32,
    map_flags: u32,
}

impl Map {
    /// Takes over a map's descriptor and asks the kernel for its sizes.
    pub fn new(fd: OwnedFd) -> io::Result<Map> {
        let mut info = MapInfo::default();
        object_info(fd.as_fd(), &mut info)?;
        let kind = MapType::ALL
            .into_iter()
            .find(|k| *k as u32 == info.map_type)
            .ok_or_else(|| io::Error::from(io::ErrorKind::Unsupported))?;
        let value_size = match kind.per_cpu() {
            true => (info.value_size as usize).next_multiple_of(8) * cpus::possible()? as usize,
            false => info.value_size as usize,
        };
        Ok(Map {
            fd,
            kind,
            key_size: info.key_size as usize,
            value_size,
            max_entries: info.max_entries,
            batches: kind.is_hash(),
        })
    }

    /// Its type.
    pub fn kind(&self) -> MapType {
        self.kind
    }

    /// Bytes of a value as user space sees it: all CPUs' copies, each rounded up to 8 bytes.
    pub fn value_size(&self) -> usize {
        self.value_size
    }

    /// Its entries, at most; a ring's bytes.
    pub fn max_entries(&self) -> u32 {
        self.max_entries
    }

    /// Reads an entry into `value`. `false`: there is none.
    pub fn lookup(&self, key: &[u8], value: &mut [u8]) -> io::Result<bool> {
        self.check(key, Some(value))?;
        let mut attr = self.elem(address(key), address_mut(value));
        // SAFETY: both lengths were checked against the map's.
        found(unsafe { bpf(cmd::MAP_LOOKUP_ELEM, &mut attr) })
    }

    /// Writes an entry, whether it exists or not.
    pub fn update(&self, key: &[u8], value: &[u8]) -> io::Result<()> {
        self.check(key, Some(value))?;
        let mut attr = self.elem(address(key), address(value));
        // SAFETY: both lengths were checked against the map's; the kernel only reads.
        unsafe { bpf(cmd::MAP_UPDATE_ELEM, &mut attr) }.map(drop)
    }

    /// Removes an entry. `false`: there was none.
    pub fn delete(&self, key: &[u8]) -> io::Result<bool> {
        self.check(key, None)?;
        let mut attr = self.elem(address(key), 0);
        // SAFETY: the key's length was checked against the map's.
        found(unsafe { bpf(cmd::MAP_DELETE_ELEM, &mut attr) })
    }

    /// The key after `key`, or the first; after a key that has gone, the first again. `false`: there is none.
    pub fn next_key(&self, key: Option<&[u8]>, next: &mut [u8]) -> io::Result<bool> {
        self.check(next, None)?;
        if let Some(key) = key {
            self.check(key, None)?;
        }
        let mut attr = self.elem(key.map_or(0, address), address_mut(next));
        // SAFETY: both lengths were checked against the map's.
        found(unsafe { bpf(cmd::MAP_GET_NEXT_KEY, &mut attr) })
    }

    fn elem(&self, key: u64, value: u64) -> Attr {
        let mut attr = Attr::zero();
        attr.elem = ElemAttr { map_fd: fd_number(self.fd.as_fd()), key, value, flags: 0 };
        attr
    }

    fn check(&self, key: &[u8], value: Option<&[u8]>) -> io::Result<()> {
        let fits = key.len() == self.key_size && value.is_none_or(|v| v.len() == self.value_size);
        if fits { Ok(()) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    /// Shows every entry of a hash to `each`. Entries that come and go meanwhile may be missed; the others are shown once.
    pub fn for_each(&mut self, each: &mut dyn FnMut(&[u8], &[u8])) -> io::Result<()> {
        if self.batches {
            match self.for_each_batch(each, &mut || {}) {
                // Nothing was shown yet: an unsupported command fails on its first call.
                Err(e) if unsupported(&e) => self.batches = false,
                other => return other,
            }
        }
        self.for_each_by_key(each)
    }

    /// Hands over and removes every entry of a hash that `which` is true for. What is removed meanwhile is bounded by what
    /// one command reads, and so are the keys that are kept for it. A walk that ends early leaves the rest for the next
    /// time; what it handed over goes all the same, or it would be counted again.
    pub fn take(
        &mut self,
        which: &mut dyn FnMut(&[u8]) -> bool,
        out: &mut dyn FnMut(&[u8], &[u8]),
    ) -> io::Result<()> {
        let taken = RefCell::new(Vec::new());
        let mut each = |key: &[u8], value: &[u8]| {
            if which(key) {
                out(key, value);
                taken.borrow_mut().extend_from_slice(key);
            }
        };
        let remove = || {
            let mut keys = taken.take();
            let removed = self.delete_all(&keys);
            keys.clear();
            taken.replace(keys);
            removed
        };
        let walked = match self.batches {
            true => self.for_each_batch(&mut each, &mut || {
                let _ = remove();
            }),
            false => self.for_each_by_key(&mut each),
        };
        remove()?;
        match walked {
            // Nothing was shown yet, as above.
            Err(e) if self.batches && unsupported(&e) => {
                self.batches = false;
                self.take(which, out)
            }
            walked => walked,
        }
    }

    /// `portion` is called behind the entries of each command: a position is that of a bucket, and so those that were shown
    /// may go.
    fn for_each_batch(
        &self,
        each: &mut dyn FnMut(&[u8], &[u8]),
        portion: &mut dyn FnMut(),
    ) -> io::Result<()> {
        let mut count = BATCH_BYTES.div_ceil(self.key_size + self.value_size).clamp(16, 4096);
        let mut keys = vec![0; count * self.key_size];
        let mut values = vec![0; count * self.value_size];
        // A position in a hash is a `u32`.
        let (mut from, mut to) = ([0u8; 8], [0u8; 8]);
        let mut started = false;
        loop {
            let mut attr = Attr::zero();
            attr.batch = BatchAttr {
                in_batch: if started { address(&from) } else { 0 },
                out_batch: address_mut(&mut to),
                keys: address_mut(&mut keys),
                values: address_mut(&mut values),
                count: count as u32,
                map_fd: fd_number(self.fd.as_fd()),
                elem_flags: 0,
                flags: 0,
            };
            // SAFETY: `keys` and `values` have room for `count` entries of the map's sizes, `from` and `to` for a position.
            let result = unsafe { bpf(cmd::MAP_LOOKUP_BATCH, &mut attr) };
            let last = match &result {
                Ok(_) => false,
                Err(e) if e.raw_os_error() == Some(libc::ENOENT) => true,
                Err(e) if e.raw_os_error() == Some(libc::ENOSPC) => {
                    // One bucket holds more than the buffers: nothing was written, ask again with larger ones.
                    count *= 2;
                    keys.resize(count * self.key_size, 0);
                    values.resize(count * self.value_size, 0);
                    continue;
                }
                Err(_) => return result.map(drop),
            };
            // SAFETY: the kernel wrote the number of entries into this member.
            let got = unsafe { attr.batch.count } as usize;
            for i in 0..got.min(count) {
                each(
                    &keys[i * self.key_size..(i + 1) * self.key_size],
                    &values[i * self.value_size..(i + 1) * self.value_size],
                );
            }
            portion();
            if last {
                return Ok(());
            }
            from = to;
            started = true;
        }
    }

    fn for_each_by_key(&self, each: &mut dyn FnMut(&[u8], &[u8])) -> io::Result<()> {
        let mut value = vec![0; self.value_size];
        self.for_each_key(&mut |key| {
            // An entry that went meanwhile, or cannot be read, is not shown.
            if let Ok(true) = self.lookup(key, &mut value) {
                each(key, &value);
            }
        })
    }

    /// Shows every key of a hash to `each`, which must not remove entries.
    pub fn for_each_key(&self, each: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        let (mut key, mut next) = (vec![0; self.key_size], vec![0; self.key_size]);
        let mut more = self.next_key(None, &mut key)?;
        // Keys that are removed under the walk send it back to the start: bound it.
        let mut budget = 2 * u64::from(self.max_entries) + 64;
        while more && budget > 0 {
            each(&key);
            more = self.next_key(Some(&key), &mut next)?;
            std::mem::swap(&mut key, &mut next);
            budget -= 1;
        }
        Ok(())
    }

    /// Removes the entries whose keys lie one after another in `keys`; those that do not exist are passed over.
    pub fn delete_all(&self, keys: &[u8]) -> io::Result<()> {
        if self.batches && keys.len() > self.key_size && self.delete_batch(keys).is_ok() {
            return Ok(());
        }
        for key in keys.chunks_exact(self.key_size.max(1)) {
            self.delete(key)?;
        }
        Ok(())
    }

    fn delete_batch(&self, keys: &[u8]) -> io::Result<()> {
        let mut attr = Attr::zero();
        attr.batch = BatchAttr {
            in_batch: 0,
            out_batch: 0,
            keys: address(keys),
            values: 0,
            count: (keys.len() / self.key_size.max(1)) as u32,
            map_fd: fd_number(self.fd.as_fd()),
            elem_flags: 0,
            flags: 0,
        };
        // SAFETY: `keys` holds `count` keys of the map's size; the kernel only reads them.
        unsafe { bpf(cmd::MAP_DELETE_BATCH, &mut attr) }.map(drop)
    }
}

impl AsFd for Map {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// About how many bytes of entries one batched command reads.
const BATCH_BYTES: usize = 1 << 16;

fn found(result: io::Result<i64>) -> io::Result<bool> {
    match result {
        Ok(_) => Ok(true),
        Err(e) if e.raw_os_error() == Some(libc::ENOENT) => Ok(false),
        Err(e) => Err(e),
    }
}

fn unsupported(e: &io::Error) -> bool {
    // 524 is the kernel's own ENOTSUPP, which leaks out of bpf(2).
    matches!(e.raw_os_error(), Some(libc::EINVAL | libc::EOPNOTSUPP | 524))
}

/// Fills `info`, or as much of it as the kernel knows.
fn object_info<T: Default>(fd: BorrowedFd<'_>, info: &mut T) -> io::Result<()> {
    let mut attr = Attr::zero();
    attr.info = InfoAttr {
        fd: fd_number(fd),
        len: std::mem::size_of::<T>() as u32,
        info: std::ptr::from_mut(info) as u64,
    };
    // SAFETY: the kernel writes at most `len` bytes, all of which are integers of a `repr(C)` structure.
    unsafe { bpf(cmd::OBJ_GET_INFO_BY_FD, &mut attr) }.map(drop)
}

/// `struct bpf_prog_info`; every member has a place, few have a use.
#[repr(C)]
#[derive(Default)]
struct ProgramInfo {
    head: [u64; 24],
    run_time_ns: u64,
    run_cnt: u64,
    recursion_misses: u64,
    verified_insns: u32,
    attach_btf_obj_id: u32,
}

/// How often the kernel did not run a program because it was already running on that CPU.
pub fn recursion_misses(program: BorrowedFd<'_>) -> io::Result<u64> {
    let mut info = ProgramInfo::default();
    object_info(program, &mut info)?;
    Ok(info.recursion_misses)
}

/// How many instructions the verifier went over to judge a program: at most a million.
#[cfg(test)]
pub fn verified_instructions(program: BorrowedFd<'_>) -> io::Result<u32> {
    let mut info = ProgramInfo::default();
    object_info(program, &mut info)?;
    Ok(info.verified_insns)
}

/// Loads a raw tracepoint program that hangs nowhere: for a question to the kernel that [`test_run`] asks. Plans are
/// loaded by aya.
pub fn load_raw_tracepoint(code: &[u64]) -> io::Result<OwnedFd> {
    const RAW_TRACEPOINT: u32 = 17;
    let mut name = [0; 16];
    name[..6].copy_from_slice(b"dtrail");
    let mut attr = Attr::zero();
    attr.load = LoadAttr {
        prog_type: RAW_TRACEPOINT,
        insn_cnt: code.len() as u32,
        insns: code.as_ptr() as u64,
        license: c"Dual MIT/GPL".as_ptr() as u64,
        log_level: 0,
        log_size: 0,
        log_buf: 0,
        kern_version: 0,
        prog_flags: 0,
        name,
    };
    // SAFETY: the code is as long as it says and the license is a string; there is no log.
    let fd = unsafe { bpf(cmd::PROG_LOAD, &mut attr)? };
    // SAFETY: a new descriptor that nobody else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// Runs a raw tracepoint program once, on this CPU, with no arguments.
pub fn test_run(program: BorrowedFd<'_>) -> io::Result<u32> {
    let mut attr = Attr::zero();
    attr.test = TestAttr {
        prog_fd: fd_number(program),
        retval: 0,
        data_size_in: 0,
        data_size_out: 0,
        data_in: 0,
        data_out: 0,
        repeat: 0,
        duration: 0,
        ctx_size_in: 0,
        ctx_size_out: 0,
        ctx_in: 0,
        ctx_out: 0,
        flags: 0,
        cpu: 0,
    };
    // SAFETY: there is no data and no context.
    unsafe { bpf(cmd::PROG_TEST_RUN, &mut attr)? };
    // SAFETY: the kernel wrote the result into this member.
    Ok(unsafe { attr.test.retval })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `test` if maps can be made here.
    fn with_maps(test: impl Fn() -> io::Result<()>) {
        match make(MapType::Array, 4, 8, 1) {
            Ok(_) => test().expect("map operations work where maps can be made"),
            Err(e) => println!("skipped: no maps here: {e}"),
        }
    }

    fn make(kind: MapType, key_size: u32, value_size: u32, max_entries: u32) -> io::Result<Map> {
        let new = NewMap { name: "test", kind, key_size, value_size, max_entries, flags: 0, inner: None };
        Map::new(create_map(&new)?)
    }

    #[test]
    fn entries_come_and_go() {
        with_maps(|| {
            let map = make(MapType::Hash, 12, 24, 2)?;
            let (a, b, c) = ([1; 12], [2; 12], [3; 12]);
            let mut value = [0; 24];
            assert!(!map.lookup(&a, &mut value)?);
            map.update(&a, &[7; 24])?;
            assert!(map.lookup(&a, &mut value)?);
            assert_eq!(value, [7; 24]);
            map.update(&b, &[8; 24])?;
            assert_eq!(
                map.update(&c, &[9; 24]).expect_err("full").raw_os_error(),
                Some(libc::E2BIG),
                "a full hash says so"
            );
            assert!(map.delete(&a)?);
            assert!(!map.delete(&a)?);
            let mut next = [0; 12];
            assert!(map.next_key(None, &mut next)?);
            assert_eq!(next, b);
            assert!(!map.next_key(Some(&b), &mut next)?);
            Ok(())
        });
    }

    #[test]
    fn sizes_that_do_not_fit_never_reach_the_kernel() {
        with_maps(|| {
            let map = make(MapType::Hash, 8, 8, 2)?;
            for result in [
                map.lookup(&[0; 4], &mut [0; 8]).map(drop),
                map.lookup(&[0; 8], &mut [0; 4]).map(drop),
                map.update(&[0; 8], &[0; 16]),
                map.delete(&[]).map(drop),
            ] {
                assert_eq!(result.expect_err("wrong size").kind(), io::ErrorKind::InvalidInput);
            }
            Ok(())
        });
    }

    #[test]
    fn both_walks_show_each_entry_once() {
        with_maps(|| {
            for kind in [MapType::Hash, MapType::PercpuHash] {
                let mut map = make(kind, 8, 16, 5000)?;
                let value = vec![5; map.value_size()];
                for i in 0..5000u64 {
                    map.update(&i.to_ne_bytes(), &value)?;
                }
                for batches in [true, false] {
                    map.batches = batches;
                    let mut seen = Vec::new();
                    map.for_each(&mut |key, v| {
                        assert_eq!(v, value);
                        seen.push(u64::from_ne_bytes(key.try_into().expect("8 bytes")));
                    })?;
                    assert_eq!(map.batches, batches, "this kernel has batches");
                    seen.sort_unstable();
                    assert_eq!(seen, (0..5000).collect::<Vec<_>>());
                }
                for (batches, range) in [(true, 0..1000u64), (false, 1000..2000)] {
                    map.batches = batches;
                    let keys: Vec<u8> = range.flat_map(u64::to_ne_bytes).collect();
                    map.delete_all(&keys)?;
                }
                // Again, with every other key gone already: those that are left must still go.
                map.batches = true;
                let keys: Vec<u8> = (1990..2010u64).flat_map(u64::to_ne_bytes).collect();
                map.delete_all(&keys)?;
                let mut left = 0;
                map.for_each(&mut |_, _| left += 1)?;
                assert_eq!(left, 5000 - 2010);
                // What is taken is taken once and gone; the rest stays.
                for (batches, odd, expected) in [(true, 1, 1495), (false, 0, 1495), (true, 0, 0)] {
                    map.batches = batches;
                    let mut taken = Vec::new();
                    let number = |key: &[u8]| u64::from_ne_bytes(key.try_into().expect("8 bytes"));
                    map.take(&mut |key| number(key) % 2 == odd, &mut |key, _| taken.push(number(key)))?;
                    taken.sort_unstable();
                    let all = (2010..5000).filter(|n| n % 2 == odd).take(expected);
                    assert_eq!(taken, all.collect::<Vec<_>>(), "batches {batches}");
                }
                map.for_each(&mut |_, _| panic!("all were taken"))?;
            }
            Ok(())
        });
    }

    #[test]
    fn a_grace_period_passes() {
        with_maps(|| {
            let grace = super::super::grace::Grace::new()?;
            grace.wait()?;
            grace.wait()
        });
    }
}
