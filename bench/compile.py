#!/usr/bin/env python3
"""Whether compile time grows with the program and no faster: programs of 100, 1 000 and 10 000 clauses, and of as many of
what else may be long in a program: compiled (`-e`), and then placed, too, with code for both sides and its description
(`--explain`): in user space, and, clauses, where the planner decides. What counts is the least CPU time of several runs,
which take turns, so that one disturbance does not hit all runs of one program; what start-up takes is subtracted.

    cargo build --release
    python3 bench/compile.py [PATH/dtrail]

Then a script of 100 lines that reads members of three kernel structs: compiled alone (`-e`), and, where this process may
trace, started and ended; wall time and memory, the kernel's type data included.

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
COUNTS = (100, 1_000, 10_000)
CLAUSE = """syscall::read:entry
/pid == {i} && arg2 > {i}/
{{
	self->t{j} = timestamp;
	@a{j}[execname, arg0] = quantize(arg2 + {i});
	printf("%d %s\\n", arg0 * {i}, execname);
}}
"""
BRANCHES = "syscall::read:entry {{ if (arg2 > {i}) {{ self->s{j} = arg0; }} else {{ self->s{j} = arg2; }} }}\n"
RETURN = "syscall::read:return /self->s{j}/ {{ printf(\"%d\", self->s{j}); self->s{j} = 0; }}\n"
STATEMENT = "printf(\"%d\\n\", arg0 + {i}); x{j} = arg1 + {i}; if (arg2 == {i}) {{ trace({i}); }}\n"
TRANSLATOR = "struct o{i} {{ int a; }}; translator struct o{i} < int *I > {{ a = *I; }};\n"
TO_ONE = "struct i{i} {{ int x; }}; translator struct o < struct i{i} *I > {{ a = I->x; }};\n"
FROM_MANY = "syscall::read:entry {{ trace(xlate<struct o>((struct i{i} *)arg1).a); }}\n"
PROBE = "\tprobe p{i}(int a, char *b) : (int a);\n"
TRANSLATED = "syscall::read:entry {{ trace(xlate<struct o{i}>((int *)arg1).a); }}\n"


def repeated(text, count):
    return "".join(text.format(i=i, j=i % 50) for i in range(count))


# What there is so many of, and the program of it.
PROGRAMS = {
    "clauses": lambda n: repeated(CLAUSE, n),
    "clauses with branches": lambda n: repeated(BRANCHES, n // 2) + repeated(RETURN, n - n // 2),
    "statements of one clause": lambda n: "syscall::read:entry {\n" + repeated(STATEMENT, n // 3) + "}\n",
    "variables": lambda n: repeated("syscall::read:entry {{ g{i} = arg0; }}\n", n),
    "aggregations": lambda n: repeated("syscall::read:entry {{ @a{i}[pid] = count(); }}\n", n),
    "translators": lambda n: repeated(TRANSLATOR, n) + repeated(TRANSLATED, n),
    "translators to one type": lambda n: "struct o {{ int a; }};\n".format() + repeated(TO_ONE, n) + repeated(FROM_MANY, n),
    "probes of one provider": lambda n: "provider many {\n" + repeated(PROBE, n) + "};\nBEGIN { }\n",
}


# How: what stands in the row, and the options.
COMPILED = ("compiled", ["-e"])
PLACED = ("placed", ["--explain", "-x", "placement=user"])
DECIDED = ("placed where the planner decides", ["--explain"])
ROWS = [
    (name, how)
    for name in PROGRAMS
    for how in (COMPILED, PLACED, DECIDED)
    if how is not DECIDED or name.startswith("clauses")
]


def compiled(folder, text, options):
    """CPU seconds of compiling a program once."""
    path = os.path.join(folder, "a.d")
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    child = subprocess.Popen([DTRAIL, *options, "-s", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{path}: {said.decode()[:500]}")
    return usage.ru_utime + usage.ru_stime


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


def growth(folder):
    """By row and count: the least CPU seconds, less what start-up takes."""
    least = {}

    def run(key, text, options):
        least[key] = min(least.get(key, 1e9), compiled(folder, text, options))

    for _ in range(RUNS):
        run(None, "BEGIN { }\n", ["-e"])
        for name, how in ROWS:
            for count in COUNTS:
                run((name, how[0], count), PROGRAMS[name](count), how[1])
    return {key: seconds - least[None] for key, seconds in least.items() if key}


def main():
    with tempfile.TemporaryDirectory() as folder:
        times = growth(folder)
        path = os.path.join(folder, "b.d")
        with open(path, "w", encoding="ascii") as file:
            file.write(structs())
        rows = [("100 lines, three kernel structs, -e", 20, 25, cost(["-e", "-s", path]))]
        if os.geteuid() == 0:
            started = cost(["-q", "-s", path, "-n", "BEGIN { exit(0); }"])
            rows.append(("the same, started and ended", 40, 25, started))
        else:
            print("skipped: starting the script of kernel structs needs root")
    few, some, many = COUNTS
    print(f"{'CPU ms for so many':48} {few:>7} {some:>7} {many:>7}  ten times as many take")
    failed = False
    for name, how in ROWS:
        taken = [times[name, how[0], count] for count in COUNTS]
        ratios = [more / max(less, 1e-4) for less, more in zip(taken, taken[1:])]
        # Only clauses are promised; what else there may be many of shows what has gone wrong.
        failed |= max(ratios) > (12 if name.startswith("clauses") else 15)
        print(f"{name + ', ' + how[0]:48} " + " ".join(f"{t * 1e3:7.1f}" for t in taken) + "  " + ", ".join(f"{r:.1f} x" for r in ratios))
    for name, most_ms, most_mib, (ms, mib) in rows:
        failed |= ms > most_ms or mib > most_mib
        print(f"{name}: {ms:.1f} ms (of {most_ms}), {mib:.1f} MiB (of {most_mib})")
    sys.exit(1 if failed else 0)


main()
