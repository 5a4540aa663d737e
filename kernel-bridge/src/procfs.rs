//! Identity of a thread from `/proc`. A thread that is gone gives `None`; odd contents give zeros, never a panic.

use std::fs;
use std::io::Read;

use dtrail_vm::host::TaskInfo;

/// Identity of thread `tid` of process `pid`: three small files.
pub(crate) fn task(pid: u32, tid: u32) -> Option<TaskInfo> {
    let mut buffer = Vec::with_capacity(2048);
    let (ppid, start) = parse_stat(read(&format!("/proc/{pid}/task/{tid}/stat"), &mut buffer)?);
    let (uid, gid) = parse_ids(read(&format!("/proc/{pid}/task/{tid}/status"), &mut buffer)?);
    let execname = comm(pid, tid)?;
    Some(TaskInfo { pid, tid, ppid, uid, gid, execname, start, task_struct: 0, on_cpu: 0 })
}

/// Command name of a thread, at most 15 bytes.
pub(crate) fn comm(pid: u32, tid: u32) -> Option<Vec<u8>> {
    let mut buffer = Vec::with_capacity(16);
    let text = read(&format!("/proc/{pid}/task/{tid}/comm"), &mut buffer)?;
    Some(text.strip_suffix(b"\n").unwrap_or(text).to_vec())
}

/// Nanoseconds that a thread has been on a CPU; `None` if this kernel keeps no account of it (CONFIG_SCHED_INFO).
pub(crate) fn on_cpu(pid: u32, tid: u32) -> Option<u64> {
    let mut buffer = Vec::with_capacity(64);
    let text = read(&format!("/proc/{pid}/task/{tid}/schedstat"), &mut buffer)?;
    str::from_utf8(text).ok()?.split_ascii_whitespace().next()?.parse().ok()
}

/// Parent of a thread's process.
pub(crate) fn parent(pid: u32, tid: u32) -> Option<u32> {
    let mut buffer = Vec::with_capacity(512);
    Some(parse_stat(read(&format!("/proc/{pid}/task/{tid}/stat"), &mut buffer)?).0)
}

/// When a process started, in nanoseconds since boot, cut to the clock's tick of 10 ms.
pub(crate) fn started(pid: u32) -> Option<u64> {
    let mut buffer = Vec::with_capacity(512);
    Some(parse_stat(read(&format!("/proc/{pid}/stat"), &mut buffer)?).1)
}

/// Real user and group of a thread.
pub(crate) fn ids(pid: u32, tid: u32) -> Option<(u32, u32)> {
    let mut buffer = Vec::with_capacity(2048);
    Some(parse_ids(read(&format!("/proc/{pid}/task/{tid}/status"), &mut buffer)?))
}

/// The CPU a thread last ran on, from the text of its `stat` file.
pub(crate) fn stat_cpu(stat: &[u8]) -> Option<u32> {
    let after = stat.iter().rposition(|&b| b == b')')? + 1;
    let field = stat[after..].split(|&b| b == b' ').filter(|field| !field.is_empty()).nth(36)?;
    str::from_utf8(field).ok()?.parse().ok()
}

/// The state of a thread (`R`, `S`, …), from the text of its `stat` file.
pub(crate) fn stat_state(stat: &[u8]) -> Option<u8> {
    let after = stat.iter().rposition(|&b| b == b')')? + 1;
    stat[after..].iter().copied().find(|&b| b != b' ')
}

/// Thread-group ID of a thread.
pub(crate) fn thread_group(tid: u32) -> Option<u32> {
    let mut buffer = Vec::with_capacity(2048);
    let status = read(&format!("/proc/{tid}/status"), &mut buffer)?;
    field(status, b"Tgid:")
}

fn read<'a>(path: &str, buffer: &'a mut Vec<u8>) -> Option<&'a [u8]> {
    buffer.clear();
    fs::File::open(path).ok()?.read_to_end(buffer).ok()?;
    Some(buffer)
}

/// Parent and start time in nanoseconds since boot, from `stat`. The name is in parentheses and may hold anything, so
/// fields count from the last closing one.
fn parse_stat(stat: &[u8]) -> (u32, u64) {
    let after = stat.iter().rposition(|&b| b == b')').map_or(0, |i| i + 1);
    let text = String::from_utf8_lossy(&stat[after..]);
    let mut fields = text.split_ascii_whitespace().skip(1);
    let ppid = fields.next().and_then(|f| f.parse().ok()).unwrap_or(0);
    let ticks: u64 = fields.nth(17).and_then(|f| f.parse().ok()).unwrap_or(0);
    (ppid, ticks.saturating_mul(TICK))
}

/// Nanoseconds of a clock tick: `USER_HZ` is 100 on every architecture that this program runs on.
pub(crate) const TICK: u64 = 1_000_000_000 / 100;

/// Real user and group IDs, from `status`.
fn parse_ids(status: &[u8]) -> (u32, u32) {
    (field(status, b"Uid:").unwrap_or(0), field(status, b"Gid:").unwrap_or(0))
}

/// The first number of a line of `status`. The name, on the first line, cannot imitate a field: newlines in it are
/// escaped.
fn field(status: &[u8], name: &[u8]) -> Option<u32> {
    let line = status.split(|&b| b == b'\n').find_map(|line| line.strip_prefix(name))?;
    str::from_utf8(line).ok()?.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat() {
        let line = b"12 (a) b (c)) S 7 12 12 0 -1 4194560 100 0 0 0 1 2 3 4 20 0 1 0 12345 1000 50 18446744073709551615";
        assert_eq!(parse_stat(line), (7, 123_450_000_000));
        assert_eq!(stat_cpu(line), None);
        let long = b"7 (x) R 1 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 99 1 1 184 1 1 0 0 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0";
        assert_eq!(stat_cpu(long), Some(3));
        assert_eq!(parse_stat(b""), (0, 0));
        assert_eq!(parse_stat(b"1 (x"), (0, 0));
    }

    #[test]
    fn status() {
        let text = b"Name:\tUid:\\n5\nTgid:\t42\nUid:\t1000\t0\t0\t0\nGid:\t100\t0\t0\t0\n";
        assert_eq!(parse_ids(text), (1000, 100));
        assert_eq!(field(text, b"Tgid:"), Some(42));
        assert_eq!(field(b"Tgid:\tx\n", b"Tgid:"), None);
    }
}
