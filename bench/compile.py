#!/usr/bin/env python3
"""Whether compile time grows with the program and no faster: programs of 100, 1 000 and 10 000 clauses, compiled whole
(parsed, checked, lowered, planned). The best of several runs counts; what start-up takes is subtracted.

    cargo build --release
    python3 bench/compile.py [PATH/dtrail]

Then a script of 100 lines that reads members of three kernel structs: compiled alone (`-e`), and, where this process may
trace, started and ended; time and memory, the kernel's type data included.

Exits with 1 if ten times the clauses take more than twelve times as long, or a script of kernel structs takes more than its
row allows."""

import os
import subprocess
import sys
import tempfile
import time

DTRAIL = sys.argv[1] if len(sys.argv) > 1 else os.path.join(
    os.environ.get("CARGO_TARGET_DIR", "target"), "release/dtrail"
)
RUNS = 5
CLAUSE = """syscall::read:entry
/pid == {i} && arg2 > {i}/
{{
	self->t{j} = timestamp;
	@a{j}[execname, arg0] = quantize(arg2 + {i});
	printf("%d %s\\n", arg0 * {i}, execname);
}}
"""


def program(clauses):
    return "".join(CLAUSE.format(i=i, j=i % 50) for i in range(clauses))


def best(path):
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run([DTRAIL, "--explain", "-s", path], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return min(times)


STRUCTS = '''struct brief {{ int id; string name; }};
translator struct brief < struct task_struct *T > {{
	id = T->pid;
	name = T->comm;
}};

syscall::read:entry
/pid == $pid/
{{
	this->task = curthread;
	this->mm = (struct mm_struct *)curthread->mm;
	this->file = (struct file *)arg1;
	self->prio = this->task->prio;
	self->flags = this->task->flags;
	@[execname, this->task->tgid] = sum(this->mm->total_vm);
}}

'''
READ = '''syscall::{call}:return
/self->prio/
{{
	printf("%s %d %x\\n", xlate<struct brief>(curthread).name, curthread->real_parent->pid,
	    ((struct file *)arg0)->f_flags);
	self->prio = 0;
}}

'''


def structs():
    """A script of 100 lines over task_struct, mm_struct and file."""
    calls = ("read", "write", "open", "close", "lseek", "mmap", "munmap", "dup", "pipe", "fsync")
    text = STRUCTS.format() + "".join(READ.format(call=call) for call in calls)
    lines = text.splitlines()
    assert len(lines) <= 100, len(lines)
    return "\n".join(lines + ["/* */"] * (100 - len(lines))) + "\n"


def cost(arguments):
    """The best wall time in ms and the peak memory in MiB of a run."""
    times, memory = [], 0
    for _ in range(RUNS):
        start = time.perf_counter()
        child = subprocess.Popen([DTRAIL, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        times.append(time.perf_counter() - start)
        if status != 0:
            sys.exit(f"{arguments}: {said.decode()}")
        memory = max(memory, usage.ru_maxrss / 1024)
    return min(times) * 1e3, memory


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.d")

        def measure(clauses):
            with open(path, "w", encoding="ascii") as file:
                file.write(program(clauses))
            return best(path)

        floor = measure(1)
        times = {clauses: measure(clauses) for clauses in (100, 1_000, 10_000)}
        with open(path, "w", encoding="ascii") as file:
            file.write(structs())
        rows = [("100 lines, three kernel structs, -e", 20, 25, cost(["-e", "-s", path]))]
        if os.geteuid() == 0:
            started = cost(["-q", "-s", path, "-n", "BEGIN { exit(0); }"])
            rows.append(("the same, started and ended", 40, 25, started))
        else:
            print("skipped: starting the script of kernel structs needs root")
    print(f"{'clauses':>8} {'ms':>9} {'µs/clause':>10}")
    for clauses, seconds in times.items():
        print(f"{clauses:>8} {seconds * 1e3:>9.1f} {(seconds - floor) / clauses * 1e6:>10.1f}")
    failed = False
    for few, many in ((100, 1_000), (1_000, 10_000)):
        ratio = (times[many] - floor) / max(times[few] - floor, 1e-3)
        failed |= ratio > 12
        print(f"{many} take {ratio:.1f} times as long as {few}")
    for name, most_ms, most_mib, (ms, mib) in rows:
        failed |= ms > most_ms or mib > most_mib
        print(f"{name}: {ms:.1f} ms (of {most_ms}), {mib:.1f} MiB (of {most_mib})")
    sys.exit(1 if failed else 0)


main()
