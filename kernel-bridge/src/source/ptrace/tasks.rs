//! Stand-ins for the kernel's structures of tasks, which no tracer of processes can read: what the kernel tells of a task
//! in `/proc`, at the places where the members lie that hold it.
//!
//! In: an address that [`task`] gave, or a member led to from there. Out: the bytes of that member, as they are now. A
//! member that `/proc` does not tell of is not there: it is never made up. So `psinfo_t` and `lwpsinfo_t` are translated by
//! the same library under every source.

use std::fs;
use std::sync::OnceLock;

use dtrail_lang::env::{KernelType, KernelTypeId, KernelTypes};
use dtrail_lang::types::TagKind;

use crate::procfs::{self, TICK};
use crate::sys::{page_size, process_memory};

/// Where the stand-ins lie: half of the address space's canonical hole that no kernel uses (it is a hypervisor's).
const BASE: u64 = 0xffff_8000_0000_0000;
const END: u64 = 0xffff_8800_0000_0000;
/// Bits of an address for the place in a structure, and for the structure.
const PLACE: u32 = 16;
const STRUCTURE: u32 = 4;

/// The structures, of a task or of its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Task,
    Signal,
    Cred,
    Memory,
    Group,
    Session,
}

impl Of {
    const ALL: [Of; 6] = [Of::Task, Of::Signal, Of::Cred, Of::Memory, Of::Group, Of::Session];

    fn tag(self) -> &'static str {
        match self {
            Of::Task => "task_struct",
            Of::Signal => "signal_struct",
            Of::Cred => "cred",
            Of::Memory => "mm_struct",
            Of::Group | Of::Session => "pid",
        }
    }
}

/// What a member holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// An address of a structure of the same task.
    At(Of),
    /// The first task of its process, of its parent.
    Leader,
    Parent,
    Id,
    Process,
    Name,
    /// A field of `stat` by its number in proc(5): as it is, less so much, in nanoseconds from ticks.
    Stat(usize),
    StatPlus(usize, i64),
    Ticks(usize),
    /// What of these the process's other tasks have not.
    EndedTicks(usize),
    State,
    ExitState,
    OnCpu,
    Terminal,
    /// A field of `status`, its n-th number.
    Status(&'static str, usize),
    /// One in KiB, as pages.
    Pages(&'static str),
    /// Pages that are mapped.
    Mapped,
    TaskSize,
}

/// The members: structure, path (a number is an index), what they hold.
const MEMBERS: &[(Of, &[&str], What)] = &[
    (Of::Task, &["pid"], What::Id),
    (Of::Task, &["tgid"], What::Process),
    (Of::Task, &["comm"], What::Name),
    (Of::Task, &["real_parent"], What::Parent),
    (Of::Task, &["parent"], What::Parent),
    (Of::Task, &["group_leader"], What::Leader),
    (Of::Task, &["signal"], What::At(Of::Signal)),
    (Of::Task, &["cred"], What::At(Of::Cred)),
    (Of::Task, &["real_cred"], What::At(Of::Cred)),
    (Of::Task, &["mm"], What::At(Of::Memory)),
    (Of::Task, &["start_time"], What::Ticks(22)),
    (Of::Task, &["prio"], What::StatPlus(18, 100)),
    (Of::Task, &["static_prio"], What::StatPlus(19, 120)),
    (Of::Task, &["policy"], What::Stat(41)),
    (Of::Task, &["thread_info", "cpu"], What::Stat(39)),
    (Of::Task, &["__state"], What::State),
    (Of::Task, &["exit_state"], What::ExitState),
    (Of::Task, &["se", "sum_exec_runtime"], What::OnCpu),
    (Of::Task, &["utime"], What::Ticks(14)),
    (Of::Task, &["stime"], What::Ticks(15)),
    (Of::Signal, &["nr_threads"], What::Status("Threads", 0)),
    (Of::Signal, &["pids", "2"], What::At(Of::Group)),
    (Of::Signal, &["pids", "3"], What::At(Of::Session)),
    (Of::Signal, &["tty"], What::Terminal),
    (Of::Signal, &["utime"], What::EndedTicks(14)),
    (Of::Signal, &["stime"], What::EndedTicks(15)),
    (Of::Signal, &["cutime"], What::Ticks(16)),
    (Of::Signal, &["cstime"], What::Ticks(17)),
    (Of::Cred, &["uid", "val"], What::Status("Uid", 0)),
    (Of::Cred, &["euid", "val"], What::Status("Uid", 1)),
    (Of::Cred, &["suid", "val"], What::Status("Uid", 2)),
    (Of::Cred, &["fsuid", "val"], What::Status("Uid", 3)),
    (Of::Cred, &["gid", "val"], What::Status("Gid", 0)),
    (Of::Cred, &["egid", "val"], What::Status("Gid", 1)),
    (Of::Cred, &["sgid", "val"], What::Status("Gid", 2)),
    (Of::Cred, &["fsgid", "val"], What::Status("Gid", 3)),
    (Of::Memory, &["total_vm"], What::Mapped),
    (Of::Memory, &["rss_stat", "0", "count"], What::Pages("RssFile")),
    (Of::Memory, &["rss_stat", "1", "count"], What::Pages("RssAnon")),
    (Of::Memory, &["rss_stat", "3", "count"], What::Pages("RssShmem")),
    (Of::Memory, &["arg_start"], What::Stat(48)),
    (Of::Memory, &["arg_end"], What::Stat(49)),
    (Of::Memory, &["env_start"], What::Stat(50)),
    (Of::Memory, &["env_end"], What::Stat(51)),
    (Of::Memory, &["start_stack"], What::Stat(28)),
    (Of::Memory, &["task_size"], What::TaskSize),
    (Of::Group, &["numbers", "0", "nr"], What::Stat(5)),
    (Of::Session, &["numbers", "0", "nr"], What::Stat(6)),
];

/// A member where this kernel has it.
#[derive(Clone, Copy, Debug)]
struct Member {
    of: Of,
    offset: u64,
    size: u64,
    what: What,
}

/// The members of the running kernel's structures, found when first asked for.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    members: OnceLock<Vec<Member>>,
}

/// The address that stands for a task.
pub(super) fn task(tid: u32) -> u64 {
    address(Of::Task, tid)
}

fn address(of: Of, tid: u32) -> u64 {
    BASE + (u64::from(tid) << (PLACE + STRUCTURE)) + ((of as u64) << PLACE)
}

impl Tasks {
    /// The bytes of a member from an address on, for a firing of `current`; `None` if no stand-in has such a member.
    pub(super) fn read(
        &self,
        types: Result<&dyn KernelTypes, String>,
        current: u32,
        addr: u64,
    ) -> Option<Vec<u8>> {
        let place = (BASE..END).contains(&addr).then(|| addr - BASE)?;
        let of = Of::ALL.get((place >> PLACE) as usize & ((1 << STRUCTURE) - 1))?;
        let tid = u32::try_from(place >> (PLACE + STRUCTURE)).ok()?;
        let offset = place & ((1 << PLACE) - 1);
        let members = match self.members.get() {
            Some(members) => members,
            None => {
                let found = members(types.ok()?);
                self.members.get_or_init(|| found)
            }
        };
        let inside = |m: &&Member| m.of == *of && (m.offset..m.offset + m.size).contains(&offset);
        let member = members.iter().find(inside)?;
        let bytes = match member.what {
            What::Name => {
                let mut name = procfs::comm(tid, tid)?;
                name.resize(member.size as usize, 0);
                name
            }
            what => number(what, tid, current)?.to_le_bytes()[..(member.size as usize).min(8)].to_vec(),
        };
        bytes.get((offset - member.offset) as usize..).map(<[u8]>::to_vec)
    }
}

/// The number that a member of a task holds.
fn number(what: What, tid: u32, current: u32) -> Option<u64> {
    let stat = |field: usize| Stat::of(tid)?.field(field);
    let leader = || procfs::thread_group(tid);
    Some(match what {
        What::At(Of::Memory) => {
            // Addresses of structures are compared: a space that the current task shares has one address for both.
            let owner = if shares_memory(tid, current) { procfs::thread_group(current)? } else { leader()? };
            address(Of::Memory, owner)
        }
        What::At(Of::Cred) => address(Of::Cred, tid),
        What::At(of) => address(of, leader()?),
        What::Leader => address(Of::Task, leader()?),
        What::Parent => address(Of::Task, stat(4)? as u32),
        What::Id => u64::from(tid),
        What::Process if tid == 0 => 0,
        What::Process => u64::from(leader()?),
        What::Stat(field) => stat(field)? as u64,
        What::StatPlus(field, more) => (stat(field)? + more) as u64,
        What::Ticks(field) => stat(field)? as u64 * TICK,
        What::EndedTicks(field) => {
            let tasks = fs::read_dir(format!("/proc/{tid}/task")).ok()?.flatten();
            let ids = tasks.filter_map(|task| task.file_name().to_str()?.parse().ok());
            let live: i64 = ids.filter_map(|task| Stat::of(task)?.field(field)).sum();
            let all = Stat::read(&format!("/proc/{tid}/stat"))?.field(field)?;
            all.saturating_sub(live).max(0) as u64 * TICK
        }
        What::State => match Stat::of(tid)?.state {
            b'S' => 1,
            b'D' => 2,
            b'T' => 4,
            // A stop of ours is none of its own.
            _ => 0,
        },
        What::ExitState => match Stat::of(tid)?.state {
            b'Z' => 0x20,
            b'X' => 0x10,
            _ => 0,
        },
        What::OnCpu => procfs::on_cpu(tid, tid)?,
        // Which terminal it is only the kernel knows.
        What::Terminal => (stat(7)? == 0).then_some(0)?,
        What::Status(name, at) => status(tid, name, at)?,
        What::Pages(name) => status(tid, name, 0)? / (page_size() as u64 / 1024),
        What::Mapped => {
            let text = fs::read_to_string(format!("/proc/{tid}/statm")).ok()?;
            text.split_ascii_whitespace().next()?.parse().ok()?
        }
        What::TaskSize => {
            if stat(28)? as u64 <= 0xffff_ffff {
                0xffff_e000
            } else {
                0x7fff_ffff_f000
            }
        }
        What::Name => return None,
    })
}

/// Whether two tasks have the same memory, as after `vfork`; where the kernel does not say (CONFIG_KCMP), only those of one
/// process.
fn shares_memory(tid: u32, current: u32) -> bool {
    if tid == current || procfs::thread_group(tid) == procfs::thread_group(current) {
        return true;
    }
    process_memory::is_shared(tid, current)
}

/// A task's `stat`.
struct Stat {
    state: u8,
    /// From field 4 on.
    fields: Vec<i64>,
}

impl Stat {
    fn of(tid: u32) -> Option<Stat> {
        Stat::read(&format!("/proc/{tid}/task/{tid}/stat"))
    }

    fn read(path: &str) -> Option<Stat> {
        Stat::parse(&fs::read(path).ok()?)
    }

    /// The name is in parentheses and may hold anything, so fields count from the last closing one.
    fn parse(text: &[u8]) -> Option<Stat> {
        let after = text.iter().rposition(|&b| b == b')')? + 1;
        let mut fields = str::from_utf8(&text[after..]).ok()?.split_ascii_whitespace();
        let state = *fields.next()?.as_bytes().first()?;
        // Some are unsigned, and too large for one with a sign.
        let number =
            |text: &str| text.parse().or_else(|_| text.parse::<u64>().map(|n| n as i64)).unwrap_or(0);
        Some(Stat { state, fields: fields.map(number).collect() })
    }

    fn field(&self, number: usize) -> Option<i64> {
        self.fields.get(number.checked_sub(4)?).copied()
    }
}

/// The n-th number of a line of a task's `status`.
fn status(tid: u32, name: &str, at: usize) -> Option<u64> {
    let text = fs::read(format!("/proc/{tid}/task/{tid}/status")).ok()?;
    let lines = text.split(|&b| b == b'\n').filter_map(|line| str::from_utf8(line).ok());
    let found = lines.filter_map(|line| line.split_once(':')).find(|(found, _)| *found == name)?.1;
    found.split_ascii_whitespace().nth(at)?.parse().ok()
}

/// Where the members lie in the kernel of these types; those that it has not are left out.
fn members(types: &dyn KernelTypes) -> Vec<Member> {
    let find = |&(of, path, what): &(Of, &[&str], What)| {
        let id = types.find(None, Some(TagKind::Struct), of.tag())?;
        let (offset, size) = place(types, id, path)?;
        let size = if what == What::Name { size } else { size.min(8) };
        Some(Member { of, offset, size, what })
    };
    MEMBERS.iter().filter_map(find).collect()
}

/// Bytes to a member of members, and its size.
fn place(types: &dyn KernelTypes, mut id: KernelTypeId, path: &[&str]) -> Option<(u64, u64)> {
    let mut bits = 0;
    for name in path {
        id = plain(types, id);
        if let Ok(index) = name.parse::<u64>() {
            let KernelType::Array { element, .. } = types.describe(id) else { return None };
            bits += index * size(types, element)? * 8;
            id = element;
        } else {
            let (at, ty) = member(types, id, name, NESTED)?;
            bits += at;
            id = ty;
        }
    }
    Some((bits / 8, size(types, id)?))
}

/// Deepest nesting of structures and names of types that is followed.
const NESTED: u32 = 8;

fn plain(types: &dyn KernelTypes, mut id: KernelTypeId) -> KernelTypeId {
    for _ in 0..NESTED {
        match types.describe(id) {
            KernelType::Typedef { target, .. } | KernelType::Qualified(_, target) => id = target,
            _ => break,
        }
    }
    id
}

/// Bits to a member and its type; members of anonymous members are the structure's own.
fn member(types: &dyn KernelTypes, id: KernelTypeId, name: &str, nested: u32) -> Option<(u64, KernelTypeId)> {
    let nested = nested.checked_sub(1)?;
    types.members(plain(types, id)).into_iter().find_map(|found| match &found.name {
        Some(own) => (**own == *name).then_some((found.bit_offset, found.ty)),
        None => member(types, found.ty, name, nested).map(|(at, ty)| (found.bit_offset + at, ty)),
    })
}

fn size(types: &dyn KernelTypes, id: KernelTypeId) -> Option<u64> {
    Some(match types.describe(plain(types, id)) {
        KernelType::Int { bytes, .. }
        | KernelType::Float { bytes }
        | KernelType::Record { bytes, .. }
        | KernelType::Enum { bytes, .. } => bytes,
        KernelType::Pointer(_) => 8,
        KernelType::Array { element, length } => size(types, element)? * length,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_name_is_no_field() {
        let stat = Stat::parse(
            b"12 (a) b (c)) S 7 12 13 0 -1 4194560 1 0 0 0 1 2 3 4 20 -5 1 0 12345 18446744073709551615",
        );
        let stat = stat.expect("a state");
        assert_eq!(stat.state, b'S');
        let fields = [(4, 7), (5, 12), (6, 13), (14, 1), (17, 4), (19, -5), (22, 12345), (23, -1)];
        for (number, expected) in fields {
            assert_eq!(stat.field(number), Some(expected), "field {number}");
        }
        assert_eq!(stat.field(99), None);
        assert!(Stat::parse(b"12 (x").is_none());
    }

    #[test]
    fn addresses_of_structures_are_apart() {
        assert_eq!(task(0), 0xffff_8000_0000_0000);
        assert_eq!(address(Of::Session, 1), 0xffff_8000_0015_0000);
        // The largest number of a thread (PID_MAX_LIMIT).
        assert!(address(Of::Session, (4 << 20) - 1) < END);
    }

    #[test]
    fn what_proc_says_of_this_process() {
        let types = crate::env::SourceEnvironment::ptrace(None);
        let types = || dtrail_lang::env::Environment::kernel_types(&types);
        if let Err(why) = types() {
            println!("skipped: {why}");
            return;
        }
        let own = std::process::id();
        let tasks = Tasks::default();
        let number = |address: u64| {
            let mut bytes = tasks.read(types(), own, address)?;
            bytes.resize(8, 0);
            Some(u64::from_le_bytes(bytes.try_into().ok()?))
        };
        let at = |of: Of, path: &[&str]| {
            let id = types().ok()?.find(None, Some(TagKind::Struct), of.tag())?;
            place(types().ok()?, id, path).map(|(offset, _)| offset)
        };
        let member = |of: Of, tid: u32, path: &[&str]| number(address(of, tid) + at(of, path)?);
        assert_eq!(member(Of::Task, own, &["tgid"]), Some(u64::from(own)));
        assert_eq!(member(Of::Task, own, &["group_leader"]), Some(task(own)));
        assert_eq!(member(Of::Task, own, &["mm"]), Some(address(Of::Memory, own)));
        let parent = member(Of::Task, own, &["real_parent"]);
        assert_eq!(parent, Some(task(std::os::unix::process::parent_id())));
        let (euid, (group, _)) = (rustix::process::geteuid().as_raw(), crate::sys::group_and_session());
        assert_eq!(member(Of::Cred, own, &["euid", "val"]), Some(u64::from(euid)));
        assert_eq!(member(Of::Signal, own, &["pids", "2"]), Some(address(Of::Group, own)));
        assert_eq!(member(Of::Group, own, &["numbers", "0", "nr"]), Some(group as u64));
        assert!(member(Of::Memory, own, &["total_vm"]).is_some_and(|pages| pages > 100));
        // What /proc does not tell is not there.
        assert_eq!(member(Of::Task, own, &["flags"]), None);
        assert_eq!(number(0xffff_ffff_8100_0000), None);
        assert_eq!(number(task(u32::MAX >> 8)), None);
    }
}
