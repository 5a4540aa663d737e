#!/usr/bin/env python3
"""Measures dtrail beside bpftrace and hand-written eBPF: start-up, attaching everything, the cost of a probe, and
the cost of printing every event, and what very many keys and stacks take.

  bench.py [--dtrail PATH] [--bpftrace PATH] [--reps 7] [--calls 3000000] [--only startup,attach,cost,stream,keys,stacks] [--json FILE]

Tools run interleaved; the best of the repetitions counts. The cost of a probe is the workload's own CPU time per call with
the tool, less the same without: start-up and tear-down are not in it, nor is what the neighbours do. Only our own
children are traced (process filters), except where a row starts and stops every system call probe. Needs root for `attach`
and `cost`. bpftrace is left out if it is not installed; both `work` and the numbers are made anew on each run."""
import argparse, json, os, shutil, signal, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
FLOOR = [sys.executable, os.path.join(HERE, "floor.py")]

# name, programs by tool; the floor's is a word of floor.py
STARTUP = [
    ("BEGIN only", {"dtrail": "BEGIN { exit(0); }", "bpftrace": "BEGIN { exit(); }"}),
    ("three BTF struct types", {
        "dtrail": "syscall::lseek:entry /pid == 0/ { this->t = (struct task_struct *)curthread;"
                  " this->f = (struct file *)arg0; this->i = (struct inode *)arg1;"
                  " trace(this->t->tgid); trace(this->f->f_flags); trace(this->i->i_ino); } BEGIN { exit(0); }",
        "bpftrace": "t:syscalls:sys_enter_lseek /pid == 0/ { $t = (struct task_struct *)curtask;"
                    " $f = (struct file *)args->fd; $i = (struct inode *)args->offset;"
                    ' printf("%d %d %d", $t->tgid, $f->f_flags, $i->i_ino); } BEGIN { exit(); }'}),
]
ATTACH = [("syscall:::entry start + stop", {
    "dtrail": "syscall:::entry /pid == 0/ { @ = count(); } BEGIN { exit(0); }",
    "bpftrace": "t:syscalls:sys_enter_* /pid == 0/ { @ = count() } BEGIN { exit(); }"})]
COST = [
    ("count() on every call", {
        "dtrail": "syscall:::entry /pid == $target/ { @ = count(); }",
        "bpftrace": "t:raw_syscalls:sys_enter /pid == cpid/ { @ = count() }", "floor": "count"}),
    ("count() by call", {
        "dtrail": "syscall:::entry /pid == $target/ { @[probefunc] = count(); }",
        "bpftrace": "t:raw_syscalls:sys_enter /pid == cpid/ { @[args->id] = count() }", "floor": "countid"}),
    ("count() by execname", {
        "dtrail": "syscall:::entry /pid == $target/ { @[execname] = count(); }",
        "bpftrace": "t:raw_syscalls:sys_enter /pid == cpid/ { @[comm] = count() }", "floor": "comm"}),
    ("quantize(timestamp)", {
        "dtrail": "syscall:::entry /pid == $target/ { @ = quantize(timestamp); }",
        "bpftrace": "t:raw_syscalls:sys_enter /pid == cpid/ { @ = hist(nsecs) }", "floor": "hist"}),
    ("entry/return latency, quantize", {
        "dtrail": "syscall:::entry /pid == $target/ { self->s = timestamp; }"
                  " syscall:::return /self->s/ { @ = quantize(timestamp - self->s); self->s = 0; }",
        "bpftrace": "t:raw_syscalls:sys_enter /pid == cpid/ { @s[tid] = nsecs }"
                    " t:raw_syscalls:sys_exit /@s[tid]/ { @ = hist(nsecs - @s[tid]); delete(@s[tid]) }",
        "floor": "latency"}),
]
# Every event of the workload printed: PID is its process.
STREAM = ("printf of 4 fields", {
    "dtrail": 'syscall::getppid:entry /pid == PID/ { printf("%d %s %d %d\\n", pid, execname, tid, timestamp); }'
              ' BEGIN { printf("ready\\n"); }',
    "bpftrace": 't:syscalls:sys_enter_getppid /pid == PID/ { printf("%d %s %d %d\\n", pid, comm, tid, nsecs); }'
                ' BEGIN { printf("ready\\n"); }'})
# A million keys: what, the bytes of a key (None: as many as its digits), and the program; TICKS of them in user space, on
# made-up time, and calls of the workload where the aggregation is the kernel's.
KEYS = [
    ("integer: count()", "synthetic", 8, "@[i++] = count();"),
    ("integer: stddev()", "synthetic", 8, "@[i++] = stddev(i);"),
    ("integer: quantize() of 4 values over 20 buckets", "synthetic", 8,
     "@[i] = quantize(1); @[i] = quantize(1000); @[i] = quantize(50000); @[i++] = quantize(1000000);"),
    ("string: count()", "synthetic", None, "@[lltostr(i++)] = count();"),
    ("string and two integers: max()", "synthetic", 24, "@[execname, i, -i] = max(i); i++;"),
    ("integer: count(), in the kernel", "bpf", 8, "@[arg1] = count();"),
    ("string: count(), in the kernel", "bpf", 6, "@[execname, arg1] = count();"),
]
KEYS_LIMITS = "to reach: 200 bytes, 3 s"
RATE = 400_000
STREAM_LIMIT = 0.3
# What the project holds itself to: row -> (limit against the floor, limit against bpftrace)
LIMITS = {"count() on every call": (1.15, 0.75), "entry/return latency, quantize": (None, 0.65)}


def command(tool, path, program, work=None):
    if tool == "floor":
        return FLOOR + [program, "--"] + work
    words = [path, "-q", "-n", program] if tool == "dtrail" else [path, "-e", program]
    return words + (["-c", " ".join(work)] if work else [])


def run(argv, work=None, result=None):
    """Wall seconds and peak resident KiB (with `work`, which measures them), exit status, last line of standard error."""
    with tempfile.TemporaryFile() as err:
        argv = [work, "run", result] + argv if work else argv
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
        err.seek(0)
        lines = err.read().decode(errors="replace").strip().splitlines()
    last = lines[-1] if lines else ""
    if not work:
        return None, None, done.returncode, last
    with open(result) as f:
        wall, rss, status = f.read().split()
    return float(wall) / 1e9, int(rss), int(status), last


def per_call(argv, result):
    """The workload's CPU nanoseconds per call under a command, or a text that says why there are none."""
    if os.path.exists(result):
        os.unlink(result)
    _, _, status, last = run(argv)
    try:
        with open(result) as f:
            nanoseconds = float(f.read().split()[2])
    except (OSError, IndexError):
        return last or f"status {status}"
    return nanoseconds if status == 0 else last or f"status {status}"


def best(values):
    numbers = [v for v in values if isinstance(v, float)]
    return min(numbers) if numbers else None


def table(header, rows):
    print("| " + " | ".join(header) + " |")
    print("|" + " --- |" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
    print()


def started(title, cases, tools, reps, work, result, out):
    rows = []
    for name, programs in cases:
        runs = {tool: [] for tool in tools if tool in programs}
        for _ in range(reps):
            for tool in runs:
                runs[tool].append(run(command(tool, tools[tool], programs[tool]), work, result))
        for tool, results in runs.items():
            good = [r for r in results if r[2] == 0]
            wall = min((r[0] for r in good), default=None)
            memory = min((r[1] for r in good), default=None)
            out.append({"row": name, "tool": tool, "wall": wall, "rss_kib": memory, "failed": len(results) - len(good)})
            shown = [f"{wall * 1e3:.1f}", f"{memory / 1024:.1f}"] if good else [f"failed: {results[-1][3][:80]}", ""]
            rows.append([name, tool] + shown)
    print(f"### {title}\n")
    table(["what", "tool", "wall ms", "peak RSS MiB"], rows)


def cost(tools, calls, reps, work, result, out):
    rows = []
    for name, programs in COST:
        argv = [work, "sys", str(calls), result]
        bare, runs = [], {tool: [] for tool in tools if tool in programs}
        for _ in range(reps):
            bare.append(per_call(argv, result))
            for tool in runs:
                runs[tool].append(per_call(command(tool, tools[tool], programs[tool], argv), result))
        base = best(bare)
        added = {t: best(v) - base if best(v) is not None else None for t, v in runs.items()}
        ours = added.get("dtrail")
        row = [name, f"{base:.0f}"]
        for tool in tools:
            if added.get(tool) is None:
                row.append("failed: " + str(runs[tool][-1])[:60] if tool in runs else "")
            else:
                row.append(f"{added[tool]:.0f}")
        for tool, limit in zip(("floor", "bpftrace"), LIMITS.get(name, (None, None))):
            other = added.get(tool)
            ratio = f"{ours / other:.2f}" if ours is not None and other else "-"
            row.append(ratio + (f" (to reach {limit})" if limit else ""))
        out.append({"row": name, "bare": base, "added": added})
        rows.append(row)
    print("### Cost of a probe: CPU nanoseconds added to a call\n")
    table(["what", "call alone"] + list(tools) + ["dtrail : floor", "dtrail : bpftrace"], rows)


def cpu_of(pid):
    """CPU nanoseconds of all threads of a process so far."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat") as f:
            total += int(f.read().split()[0])
    return total


def streamed(tool, path, program, events, work, scratch):
    """The tracer's CPU nanoseconds per printed event, how many of the events were lost, and how many came a second."""
    out, err = os.path.join(scratch, "lines"), os.path.join(scratch, "errors")
    worker = subprocess.Popen([work, "paced", str(events), str(RATE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with open(out, "wb") as lines, open(err, "wb") as errors:
        argv = command(tool, path, program.replace("PID", str(worker.pid)))
        tracer = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=lines, stderr=errors)
    try:
        until = time.time() + 60
        while not os.path.getsize(out) and tracer.poll() is None and time.time() < until:
            time.sleep(0.05)
        time.sleep(0.7)
        if tracer.poll() is not None:
            with open(err) as f:
                return f.read()[:80] or "ended early"
        before = cpu_of(tracer.pid)
        took = float(worker.communicate(b"x")[0])
        size = -1
        while size != os.path.getsize(out):
            size = os.path.getsize(out)
            time.sleep(0.5)
        used = cpu_of(tracer.pid) - before
        tracer.send_signal(signal.SIGINT)
        try:
            tracer.wait(30)
        except subprocess.TimeoutExpired:
            print(f"{tool}: did not end within 30 s of its SIGINT; killed", file=sys.stderr)
    finally:
        for process in (worker, tracer):
            if process.poll() is None:
                process.kill()
            process.wait()
    with open(out, "rb") as f:
        printed = sum(line.count(b" ") == 3 for line in f)
    return used / max(printed, 1), events - printed, events / took * 1e9


def stream(tools, events, reps, work, scratch, out):
    name, programs = STREAM
    best_of, rows = {}, []
    for _ in range(reps):
        for tool, path in tools.items():
            ran = streamed(tool, path, programs[tool], events, work, scratch)
            if isinstance(ran, str):
                best_of.setdefault(tool, ran)
            elif not isinstance(best_of.get(tool), tuple) or ran[0] < best_of[tool][0]:
                best_of[tool] = ran
    numbers = {tool: ran[0] for tool, ran in best_of.items() if isinstance(ran, tuple)}
    for tool, ran in best_of.items():
        if isinstance(ran, str):
            rows.append([name, tool, "failed: " + ran, "", "", ""])
            continue
        ratio = f"{ran[0] / numbers['bpftrace']:.2f} (to reach {STREAM_LIMIT})" if tool == "dtrail" and "bpftrace" in numbers else ""
        rows.append([name, tool, f"{ran[0]:.0f}", f"{ran[1]} of {events}", f"{ran[2]:.0f}", ratio])
        out.append({"row": name, "tool": tool, "ns": ran[0], "lost": ran[1], "rate": ran[2]})
    print("### Printing every event: CPU nanoseconds of the tracer\n")
    table(["what", "tool", "ns per event", "lost", "events a second", "dtrail : bpftrace"], rows)


def watched(argv, work, scratch, marker=None):
    """Runs a command; its lines of output, its peak resident KiB, seconds from the marker to its end, and its status. The
    marker is a file in which the workload left the time of its last call, or else the line `end` of the output."""
    result, seen, lines, tail = os.path.join(scratch, "watched"), None, 0, b""
    with open(os.path.join(scratch, "errors"), "w+b") as errors:
        process = subprocess.Popen([work, "run", result] + argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=errors)
        while chunk := os.read(process.stdout.fileno(), 1 << 20):
            if seen is None and b"end\n" in tail + chunk:
                seen = time.monotonic()
            tail = chunk[-8:]
            lines += chunk.count(b"\n")
        ended = time.monotonic()
        process.wait()
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip()
    with open(result) as f:
        _, rss, status = f.read().split()
    if marker:
        with open(marker) as f:
            seen = float(f.read()) / 1e9
    return lines, int(rss), ended - (seen or ended), int(status), said


def keys(dtrail, count, reps, work, scratch, out):
    rows = []
    for name, source, size, action in KEYS:
        marker, events = os.path.join(scratch, "last"), os.path.join(scratch, "events")

        def once(n):
            if source == "synthetic":
                with open(events, "w") as f:
                    f.write(f"at {200 * n}us\n")
                program = "long i; tick-200us { " + action + ' } END { printf("end\\n"); }'
                where, target = ["--source=synthetic=" + events], []
            else:
                program = "syscall::lseek:entry /pid == $target/ { " + action + " }"
                where, target = ["--source=bpf"], ["-c", f"{work} keys {n} {marker}"]
            argv = [dtrail, "-q", "-x", "aggsize=1g" if source == "synthetic" else "aggsize=500m", "-n", program]
            lines, rss, after, status, said = watched(argv + where + target, work, scratch, marker if target else None)
            # What the kernel had no memory for in time is no failure if it is told.
            lost = sum(int(line.split()[1]) for line in said.splitlines() if " aggregation drop" in line)
            good = status == 0 and (lost or not said) and lines + lost >= n
            return (lines, rss, after, lost) if good else said[:80] or f"status {status}, {lines} lines"

        base, many = once(1000), [once(count) for _ in range(reps)]
        good = [ran for ran in many if not isinstance(ran, str)]
        if isinstance(base, str) or not good:
            rows.append([name, "failed: " + str(base if isinstance(base, str) else many[-1]), "", "", ""])
            continue
        _, rss, after, lost = min(good, key=lambda ran: (ran[3], ran[2]))
        beyond = (rss - base[1]) * 1024 / (count - lost - 1000) - (size or len(str(count)) - 1)
        out.append({"row": name, "rss_kib": rss, "base_kib": base[1], "bytes": beyond, "seconds": after})
        rows.append([name, f"{rss / 1024:.0f}", f"{beyond:.0f}", f"{after:.2f}", str(lost)])
    print(f"### {count} keys in one aggregation ({KEYS_LIMITS})\n")
    table(["what", "peak RSS MiB", "bytes a key beyond the key", "seconds to sweep, sort and print", "lost and told"], rows)


def stacks(dtrail, count, reps, work, scratch, out):
    rows = []
    marker = os.path.join(scratch, "last")
    for name, options in [("frame pointers", []), ("folded", ["--format", "folded"])]:
        program = "syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); }"
        argv = [dtrail, "-q", "-n", program, "-c", f"{work} stacks {count} {marker}"] + options
        runs = [watched(argv, work, scratch, marker) for _ in range(reps)]
        good = [ran for ran in runs if ran[3] == 0 and not ran[4] and ran[0] >= count]
        if not good:
            rows.append([name, f"failed: {runs[-1][4][:80] or runs[-1][0]}", ""])
            continue
        rss, after = min(ran[1] for ran in good), min(ran[2] for ran in good)
        out.append({"row": name, "rss_kib": rss, "seconds": after, "lines": good[0][0]})
        rows.append([name, f"{rss / 1024:.0f}", f"{after:.2f}"])
    print(f"### {count} different user stacks with names (to reach: 100 MiB, 2 s)\n")
    table(["what", "peak RSS MiB", "seconds from the last call to the end"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtrail", default=os.path.join(HERE, "..", "target", "release", "dtrail"))
    parser.add_argument("--bpftrace", default=shutil.which("bpftrace"))
    parser.add_argument("--reps", type=int, default=7)
    parser.add_argument("--calls", type=int, default=3_000_000)
    parser.add_argument("--only", default="startup,attach,cost,stream,keys,stacks")
    parser.add_argument("--json")
    args = parser.parse_args()

    tools = {"dtrail": args.dtrail}
    if args.bpftrace:
        tools["bpftrace"] = args.bpftrace
    sections, out = args.only.split(","), {name: [] for name in parser.get_default("only").split(",")}
    with tempfile.TemporaryDirectory() as scratch:
        work, result = os.path.join(scratch, "work"), os.path.join(scratch, "result")
        subprocess.run(["cc", "-O1", "-fno-omit-frame-pointer", "-o", work, os.path.join(HERE, "work.c")], check=True)
        if "startup" in sections:
            started("Start-up", STARTUP, tools, args.reps, work, result, out["startup"])
        if "attach" in sections:
            started("Attaching and detaching", ATTACH, tools, args.reps, work, result, out["attach"])
        if "cost" in sections:
            cost({**tools, "floor": None}, args.calls, args.reps, work, result, out["cost"])
        if "stream" in sections:
            stream(tools, 3 * RATE, min(args.reps, 3), work, scratch, out["stream"])
        if "keys" in sections:
            keys(args.dtrail, 1_000_000, min(args.reps, 3), work, scratch, out["keys"])
        if "stacks" in sections:
            stacks(args.dtrail, 10_000, min(args.reps, 3), work, scratch, out["stacks"])
    if args.json:
        with open(args.json, "w") as f:
            json.dump(out, f, indent=1)


if __name__ == "__main__":
    main()
