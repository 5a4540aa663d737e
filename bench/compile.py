#!/usr/bin/env python3
"""Whether compile time grows with the program and no faster: programs of 100, 1 000 and 10 000 clauses, compiled whole
(parsed, checked, lowered, planned). The best of several runs counts; what start-up takes is subtracted.

    cargo build --release
    python3 bench/compile.py [PATH/dtrail]

Exits with 1 if ten times the clauses take more than twelve times as long."""

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


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.d")

        def measure(clauses):
            with open(path, "w", encoding="ascii") as file:
                file.write(program(clauses))
            return best(path)

        floor = measure(1)
        times = {clauses: measure(clauses) for clauses in (100, 1_000, 10_000)}
    print(f"{'clauses':>8} {'ms':>9} {'µs/clause':>10}")
    for clauses, seconds in times.items():
        print(f"{clauses:>8} {seconds * 1e3:>9.1f} {(seconds - floor) / clauses * 1e6:>10.1f}")
    failed = False
    for few, many in ((100, 1_000), (1_000, 10_000)):
        ratio = (times[many] - floor) / max(times[few] - floor, 1e-3)
        failed |= ratio > 12
        print(f"{many} take {ratio:.1f} times as long as {few}")
    sys.exit(1 if failed else 0)


main()
