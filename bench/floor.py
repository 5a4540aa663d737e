#!/usr/bin/env python3
"""Hand-assembled eBPF on the raw system call tracepoints: what the work costs without any tracer around it.

  floor.py count|countid|comm|hist|latency -- COMMAND ARG...

Starts COMMAND, filters on its process and does per call what the D program of the same row in bench.py does. Needs root.
x86-64 only."""
import ctypes, os, struct, sys

libc = ctypes.CDLL(None, use_errno=True)
SYS_BPF = 321
KEEP = []  # what the kernel must not see freed

LOOKUP, UPDATE, KTIME, PID_TGID, COMM, STORAGE_GET, CURRENT = 1, 2, 5, 14, 16, 156, 158
PROG_LOAD, MAP_CREATE, RAW_TP_OPEN, BTF_LOAD = 5, 0, 17, 18
HASH_PERCPU, ARRAY_PERCPU, TASK_STORAGE = 5, 6, 29


def bpf(command, attr):
    buffer = ctypes.create_string_buffer(attr, 160)
    result = libc.syscall(SYS_BPF, command, buffer, 160)
    if result < 0:
        e = ctypes.get_errno()
        raise OSError(e, os.strerror(e))
    return result


def pointer(buffer):
    KEEP.append(buffer)
    return ctypes.cast(buffer, ctypes.c_void_p).value


def integers_btf():
    """Type information with u32 and u64, which task storage demands."""
    strings = b"\0u32\0u64\0"
    types = struct.pack("<IIII", 1, 1 << 24, 4, 32) + struct.pack("<IIII", 5, 1 << 24, 8, 64)
    header = struct.pack("<HBBIIIII", 0xEB9F, 1, 0, 24, 0, len(types), len(types), len(strings))
    raw = header + types + strings
    return bpf(BTF_LOAD, struct.pack("<QQIII", pointer(ctypes.create_string_buffer(raw, len(raw))), 0, len(raw), 0, 0))


def new_map(kind, key, value, entries, flags=0, btf=None):
    attr = struct.pack("<IIIIIII16sI", kind, key, value, entries, flags, 0, 0, b"", 0)
    if btf is not None:
        attr += struct.pack("<III", btf, 1, 2)
    return bpf(MAP_CREATE, attr)


class Asm:
    """Just enough of an assembler."""

    def __init__(self):
        self.insns, self.labels, self.jumps = [], {}, []

    def emit(self, code, dst=0, src=0, off=0, imm=0):
        self.insns.append([code, dst, src, off, imm])
        return self

    def mov(self, dst, src): return self.emit(0xBF, dst, src)
    def movi(self, dst, value): return self.emit(0xB7, dst, 0, 0, value)
    def sub(self, dst, src): return self.emit(0x1F, dst, src)
    def addi(self, dst, value): return self.emit(0x07, dst, 0, 0, value)
    def shri(self, dst, value): return self.emit(0x77, dst, 0, 0, value)
    def call(self, helper): return self.emit(0x85, 0, 0, 0, helper)
    def load(self, dst, src, off): return self.emit(0x79, dst, src, off)
    def store(self, dst, src, off): return self.emit(0x7B, dst, src, off)
    def store32(self, dst, src, off): return self.emit(0x63, dst, src, off)
    def atomic_add(self, dst, src): return self.emit(0xDB, dst, src)

    def map(self, dst, fd):
        self.emit(0x18, dst, 1, 0, fd)
        return self.emit(0)

    def jump(self, code, dst, imm, label):
        self.jumps.append((len(self.insns), label))
        return self.emit(code, dst, 0, 0, imm)

    def jeq(self, dst, value, label): return self.jump(0x15, dst, value, label)
    def jne(self, dst, value, label): return self.jump(0x55, dst, value, label)

    def label(self, name):
        self.labels[name] = len(self.insns)
        return self

    def code(self):
        for at, label in self.jumps:
            self.insns[at][3] = self.labels[label] - at - 1
        return b"".join(struct.pack("<BBhi", c, d | s << 4, o, i) for c, d, s, o, i in self.insns)


def attach(name, asm):
    code = asm.code()
    attr = struct.pack(
        "<IIQQIIQII16sII", 17, len(code) // 8, pointer(ctypes.create_string_buffer(code, len(code))),
        pointer(ctypes.create_string_buffer(b"Dual MIT/GPL")), 0, 0, 0, 0, 0, b"floor", 0, 0)
    program = bpf(PROG_LOAD, attr)
    KEEP.append(bpf(RAW_TP_OPEN, struct.pack("<QI", pointer(ctypes.create_string_buffer(name.encode())), program)))


def only(asm, pid):
    """Leaves unless the current process is `pid`; the context stays in r6."""
    return asm.mov(6, 1).call(PID_TGID).shri(0, 32).jne(0, pid, "out")


def add_one(asm, fd, key, missing):
    """Adds one to the value at the key on the stack, atomically, as the tracer must."""
    asm.mov(2, 10).addi(2, key).map(1, fd).call(LOOKUP).jeq(0, 0, missing)
    return asm.movi(1, 1).atomic_add(0, 1)


def insert_one(asm, fd, key):
    asm.movi(1, 1).store(10, 1, -48).map(1, fd).mov(2, 10).addi(2, key).mov(3, 10).addi(3, -48).movi(4, 0).call(UPDATE)


def log2(asm, src, dst):
    asm.movi(dst, 0)
    for n in (32, 16, 8, 4, 2, 1):
        label = f"log{n}"
        asm.mov(3, src).shri(3, n).jeq(3, 0, label).mov(src, 3).addi(dst, n).label(label)
    return asm


def end(asm):
    return asm.label("out").movi(0, 0).emit(0x95)


def keyed(asm, fd):
    add_one(asm, fd, -16, "new")
    asm.jump(0x05, 0, 0, "out").label("new")
    insert_one(asm, fd, -16)


def build(kind, pid):
    a = only(Asm(), pid)
    if kind == "count":
        a.movi(1, 0).store(10, 1, -16)
        add_one(a, new_map(ARRAY_PERCPU, 4, 8, 1), -16, "out")
    elif kind == "countid":
        a.load(1, 6, 8).store(10, 1, -16)
        keyed(a, new_map(HASH_PERCPU, 8, 8, 4096))
    elif kind == "comm":
        a.movi(1, 0).store(10, 1, -16).store(10, 1, -8).mov(1, 10).addi(1, -16).movi(2, 16).call(COMM)
        keyed(a, new_map(HASH_PERCPU, 16, 8, 4096))
    elif kind == "hist":
        log2(a.call(KTIME).mov(7, 0), 7, 8).store32(10, 8, -16)
        add_one(a, new_map(ARRAY_PERCPU, 4, 8, 64), -16, "out")
    elif kind == "latency":
        storage = new_map(TASK_STORAGE, 4, 8, 0, 1, integers_btf())
        buckets = new_map(ARRAY_PERCPU, 4, 8, 64)
        a.call(CURRENT).mov(2, 0).map(1, storage).movi(3, 0).movi(4, 1).call(STORAGE_GET).jeq(0, 0, "out")
        a.mov(9, 0).call(KTIME).store(9, 0, 0)
        b = Asm().call(CURRENT).mov(2, 0).map(1, storage).movi(3, 0).movi(4, 0).call(STORAGE_GET).jeq(0, 0, "out")
        b.mov(9, 0).load(8, 9, 0).jeq(8, 0, "out").movi(1, 0).store(9, 1, 0)
        log2(b.call(KTIME).mov(7, 0).sub(7, 8), 7, 8).store32(10, 8, -16)
        add_one(b, buckets, -16, "out")
        attach("sys_exit", end(b))
    else:
        sys.exit(__doc__)
    attach("sys_enter", end(a))


def main():
    if len(sys.argv) < 4 or sys.argv[2] != "--":
        sys.exit(__doc__)
    ready, go = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(go)
        if os.read(ready, 1) != b"x":
            os._exit(1)
        os.execv(sys.argv[3], sys.argv[3:])
    build(sys.argv[1], child)  # if it fails, the pipe closes and the child leaves
    os.write(go, b"x")
    os.waitpid(child, 0)


if __name__ == "__main__":
    main()
