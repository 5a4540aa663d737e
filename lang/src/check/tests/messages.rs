//! Wording, and the part of the clause that messages name (runtime spec §13.1).

use super::{Machine, compile_all, message};
use crate::options::Options;

#[test]
fn wording() {
    for (source, expect) in [
        ("BEGIN { trace(nosuch); }", "in action list: failed to resolve nosuch: Unknown variable name"),
        ("BEGIN /y/ { }", "in predicate: failed to resolve y: Unknown variable name"),
        ("BEGIN { x = self->y; }", "in action list: self->y has not yet been declared or assigned"),
        (
            "struct s { int (*f)(int); }; BEGIN { print(((struct s *)alloca(8))->f); }",
            "print( ) argument #1 reference has type 'int (int)' with size 0; cannot print( ) it.",
        ),
        ("BEGIN { printa(@x); }", "in action list: failed to resolve @x: Unknown variable name"),
        ("BEGIN /execname/ { }", "in predicate: predicate result must be of scalar type"),
        ("BEGIN { strlen(); }", "in action list: strlen( ) prototype mismatch: 0 args passed, 1 expected"),
        (
            "BEGIN { substr(\"a\"); }",
            "in action list: substr( ) prototype mismatch: 1 arg passed, at least 2 expected",
        ),
        (
            "BEGIN { trunc(@a = count(), 1, 2); }",
            "in action list: trunc( ) prototype mismatch: 3 args passed, at most 2 expected",
        ),
        (
            "BEGIN { q[0] = 1; q[1, 2] = 1; }",
            "in action list: q[ ] prototype mismatch: 2 keys passed, 1 expected",
        ),
        (
            "BEGIN { @a[1] = count(); @a = count(); }",
            "in action list: @a[ ] prototype mismatch: 0 keys passed, 1 expected",
        ),
        (
            "BEGIN { q[\"x\"] = 1; q[1] = 2; }",
            "in action list: q[ ] key #1 is incompatible with prototype:\n\tprototype: string\n\t      key: int",
        ),
        (
            "BEGIN { trace(strlen(1)); }",
            "in action list: strlen( ) argument #1 is incompatible with prototype:\n\tprototype: char *\n\t argument: int",
        ),
        (
            "BEGIN { printf(1); }",
            "in action list: printf( ) argument #1 is incompatible with prototype:\n\tprototype: string\n\t argument: int",
        ),
        (
            "BEGIN { printf(execname); }",
            "printf( ) argument #1 is incompatible with prototype:\n\tprototype: string constant\n\t argument: string",
        ),
        (
            "BEGIN { @a = count(); @a = sum(1); }",
            "in action list: aggregation redefined: @a\n\t current: @a = sum( )\n\tprevious: @a = count( ) : line 1",
        ),
        (
            "BEGIN { @a = trace(1); }",
            "in action list: @a must be assigned the result of an aggregating function",
        ),
        ("BEGIN { @a = count(); @a; }", "expression has null effect: @a"),
        (
            "BEGIN { @a[0][1] = count(); }",
            "in action list: improper attempt to reference @a as a multi-dimensional array",
        ),
        ("BEGIN { @a = sum(\"x\"); }", "sum( ) argument #1 must be of scalar type"),
        (
            "BEGIN { @ = quantize(1, \"a\"); }",
            "quantize( ) increment value (argument #2) must be of scalar type",
        ),
        (
            "BEGIN { @ = lquantize(1, 0, 9, 1, \"a\"); }",
            "lquantize( ) increment value (argument #5) must be of scalar type",
        ),
        (
            "BEGIN { @[1, trace(1)] = count(); }",
            "in action list: void expression may not be used as aggregation index: key #2",
        ),
        (
            "BEGIN { @a = count(); q[@a] = 1; }",
            "in action list: aggregation expression may not be used as associative array index: key #1",
        ),
        (
            "BEGIN { clear(1); }",
            "clear( ) argument #1 is incompatible with prototype:\n\tprototype: aggregation\n\t argument: int",
        ),
        (
            "BEGIN { printa(\"%d\", 1); }",
            "printa( ) argument #2 is incompatible with prototype:\n\tprototype: aggregation\n\t argument: int",
        ),
        ("BEGIN { printa(\"x\"); }", "printa( ) prototype mismatch: 1 args passed, 2 expected"),
        ("BEGIN { printa(@a[1]); }", "undefined aggregation: @a"),
        (
            "BEGIN { @a[1] = count(); @b = count(); printa(@a, @b); }",
            "printa( ): @a and @b do not have matching key signatures: @a has 1 key, @b has 0 keys",
        ),
        (
            "BEGIN { @a[1] = count(); @b[\"x\"] = count(); printa(@a, @b); }",
            "printa( ): @b[ ] key #1 is incompatible with @a:\n        a key #1: int\n        b key #1: string",
        ),
        ("BEGIN { trace((void)0); }", "trace( ) may not be applied to a void expression"),
        ("BEGIN { @a = count(); trace(@a); }", "trace( ) may not be applied to a dynamic expression"),
        (
            "BEGIN { count(); }",
            "aggregating function count( ) may not be called from a D expression (D program context required)",
        ),
        (
            "BEGIN { (void)trace(1); }",
            "tracing function trace( ) may not be called from a D expression (D program context required)",
        ),
        ("BEGIN { nosuch(1); }", "undefined function name: nosuch"),
        ("BEGIN { execname(); }", "scalar 'execname' may not be referenced as a function"),
        ("BEGIN { panic(); }", "panic() is not implemented (yet)"),
        ("BEGIN { trace(strlen); }", "in action list: function 'strlen' may not be referenced as scalar"),
        (
            "BEGIN { q[1] = 1; trace(q); }",
            "in action list: associative array 'q' may not be referenced as scalar",
        ),
        (
            "BEGIN { trace(getf(1)); }",
            "in action list: getf cannot be had here: this source has no type data of the kernel",
        ),
        (
            "BEGIN { trace(uregs); }",
            "in action list: associative array 'uregs' may not be referenced as scalar",
        ),
        ("BEGIN { trace(uregs[-1]); }", "in action list: index -1 is out of range for uregs[ ]"),
        ("BEGIN { trace(uregs[26]); }", "in action list: index 26 is out of range for uregs[ ]"),
        (
            "BEGIN { trace(uregs[pid]); }",
            "in action list: uregs[ ] argument #1 is incompatible with prototype:\n\tprototype: integer constant\n\t argument: pid_t",
        ),
        (
            "BEGIN { trace(uregs[1, 2]); }",
            "in action list: uregs[ ] prototype mismatch: 2 args passed, 1 expected",
        ),
        (
            "BEGIN { n = 5; n = \"a\"; }",
            "in action list: operands have incompatible types: \"int\" = \"string\"",
        ),
        (
            "BEGIN { trace(\"a\" == pid); }",
            "in action list: operands have incompatible types: \"string\" == \"pid_t\"",
        ),
        ("BEGIN { x = trace(1); }", "in action list: operands have incompatible types: \"void\" = \"void\""),
        (
            "BEGIN { @a = count(); x = @a + 1; }",
            "in action list: operands have incompatible types: \"aggregation\" + \"int\"",
        ),
        (
            "BEGIN { p = (int (*)(int))8; trace(p + 1); }",
            "in action list: operands have incompatible types: \"function pointer\" + \"int\"",
        ),
        ("BEGIN { pid++; }", "in action list: operator ++ can only be applied to a writable variable"),
        ("BEGIN { 5++; }", "in action list: operator ++ requires modifiable lvalue as an operand"),
        ("BEGIN { s = \"a\"; s++; }", "in action list: operator ++ requires operand of scalar type"),
        ("BEGIN { trace(!\"a\"); }", "in action list: operator ! requires an operand of scalar type"),
        ("BEGIN { trace(\"a\" & 1); }", "in action list: operator & requires operands of integral type"),
        (
            "BEGIN { p = (int *)8; p *= 2; }",
            "in action list: operator *= requires operands of arithmetic type",
        ),
        (
            "BEGIN { v = (void *)8; v -= 1; }",
            "in action list: operator -= requires left-hand scalar operand of known size",
        ),
        (
            "BEGIN { trace((char *)\"abc\"); }",
            "in action list: invalid cast expression: \"string\" to \"char *\"",
        ),
        ("BEGIN { trace((char[4])1); }", "in action list: invalid cast expression: \"int\" to \"char [4]\""),
        (
            "BEGIN { x = 1; trace(x[0, 1]); }",
            "in action list: cannot access scalar x as an associative array",
        ),
        (
            "BEGIN { this->v[1] = 2; }",
            "in action list: local variables may not be used as local associative arrays: v",
        ),
        ("int a[4]; BEGIN { trace(a[7]); }", "in action list: index outside array bounds: 7, max is 4"),
        (
            "BEGIN { x = 1; x.y = 2; }",
            "in action list: operator . cannot be applied to type \"int\"; must be applied to a struct or union",
        ),
        ("BEGIN { trace(5 % 0); }", "expression contains division by zero"),
        ("BEGIN { trace(args[0]); }", "in action list: index 0 is out of range for :::BEGIN args[ ]"),
        (
            "syscall::write:entry { trace(args[5]); }",
            "in action list: index 5 is out of range for syscall::write:entry args[ ]",
        ),
        (
            "BEGIN { trace(args[0, 1]); }",
            "in action list: args[ ] prototype mismatch: 2 args passed, 1 expected",
        ),
        (
            "syscall::write:entry { args[1] = 0; }",
            "in action list: operator = can only be applied to a writable variable",
        ),
        (
            "syscall::write:entry { x = 1; trace(args[1] == x); }",
            "in action list: operands have incompatible types: \"userland char *\" == \"int\"",
        ),
        ("zork { }", "probe description :::zork does not match any probes"),
        ("999999 { }", "invalid probe identifier 999999: Unknown probe identifier"),
        (
            "fbt:::entry { }",
            "probe description fbt:::entry does not match any probes of this event source: the bpf source has it",
        ),
        (
            "long x; int x; BEGIN { }",
            "identifier redeclared: x\n\t current: scalar int\n\tprevious: scalar long",
        ),
        (
            "int x[int]; int x[string]; BEGIN { }",
            "identifier redeclared: x\n\t current: associative array, key #1 of type string\n\tprevious: associative array, key #1 of type int",
        ),
        ("int pid; BEGIN { }", "built-in identifier redeclared: pid"),
        ("const x; BEGIN { }", "failed to resolve type const: Unknown type name"),
        ("BEGIN { trace((restrict)3); }", "failed to resolve type restrict: Unknown type name"),
        ("int f[const]; BEGIN { }", "failed to resolve type const: Unknown type name"),
        ("const volatile *p; BEGIN { }", "failed to resolve type const volatile: Unknown type name"),
        ("enum ghost g; BEGIN { }", "incomplete struct/union/enum enum ghost: g"),
    ] {
        message(source, expect);
    }
}

/// The advice about a script.
fn help(source: &str) -> Option<String> {
    match compile_all(&[source], &mut Options::default(), &Machine::new()) {
        Ok(_) => panic!("accepted: {source}"),
        Err((_, error)) => error.help,
    }
}

#[test]
fn near_misses() {
    for (source, expect) in [
        ("BEGIN { trace(exename); }", Some("did you mean execname?")),
        ("BEGIN { slef->x = 1; }", Some("did you mean self?")),
        ("BEGIN /errno == EPREM/ { }", Some("did you mean EPERM?")),
        ("BEGIN { trace(SIGKIL); }", Some("did you mean SIGKILL?")),
        ("inline int DEBUG = pid; BEGIN { trace(DEBGU); }", Some("did you mean DEBUG?")),
        ("enum e { ORANGE }; BEGIN { trace(ORNAGE); }", Some("did you mean ORANGE?")),
        ("BEGIN { trace((uint32_y)pid); }", Some("did you mean uint32_t?")),
        ("typedef int count_t; BEGIN { trace(sizeof (cuont_t *)); }", Some("did you mean count_t?")),
        ("BEGIN { trace(agr0); }", Some("did you mean arg0?")),
        ("BEGIN /pid = 3/ { }", Some("did you mean `==`?")),
        ("BEGIN /uid == 0 && (pid = 3)/ { }", Some("did you mean `==`?")),
        ("struct s { int a; }; struct s v; BEGIN { trace(v->a); }", Some("did you mean `.`?")),
        ("struct s { int a; }; struct s *p; BEGIN { trace(p.a); }", Some("did you mean `->`?")),
        ("#pragma D option flowident\nBEGIN { }", Some("did you mean flowindent?")),
        (
            "END /self->t/ { trace(self->t); } BEGIN { self->t = 1; }",
            Some("clauses are checked in the order of the text: declare self->t, or move its assignment up"),
        ),
        (
            "BEGIN { trace(x[1]); x[1] = 2; }",
            Some("clauses are checked in the order of the text: declare x, or move its assignment up"),
        ),
        ("BEGIN { x = 1; } END { trace(x + y); }", None),
        ("BEGIN { total = 1; trace(totl); }", Some("did you mean total?")),
        ("BEGIN { self->ts = 1; } END { trace(self->tss); }", Some("did you mean self->ts?")),
        ("BEGIN { @lat = count(); printa(@lta); }", Some("did you mean @lat?")),
        ("BEGIN { pritnf(\"x\"); }", Some("did you mean printf()?")),
        ("BEGIN { @ = hist(1); }", Some("D has quantize() for that")),
        ("BEGIN { trace(comm); }", Some("D has execname for that")),
        ("BEGIN { trace(machtimestamp); }", Some("`timestamp` is a clock in nanoseconds")),
        ("{ trace(1); }", Some("a clause begins with the probes that it is for, such as `BEGIN`")),
        (
            "BEGIN { printf(%s, execname); }",
            Some("a format stands in double quotes, which a shell takes away outside of single ones"),
        ),
        ("BEGIN { trace(nsecs); }", Some("D has timestamp (and walltimestamp for the time of day) for that")),
        ("BEGIN { trace(str(arg0)); }", Some("D has copyinstr() or stringof() for that")),
        ("BEGIN { trace(unheard_of); }", None),
        ("syscall:write:entry { trace(1); }", Some("did you mean `syscall::write:entry`?")),
        ("syscall::write { trace(1); }", Some("did you mean `syscall::write:entry`?")),
        ("syscall { trace(1); }", Some("did you mean `syscall:::`?")),
        ("vmlinux:write { trace(1); }", Some("did you mean `syscall:vmlinux:write:entry`?")),
        ("sched:sched_switch { }", Some("trace events of the kernel are written `sdt:sched::sched_switch`")),
        ("write { trace(1); }", Some("did you mean `syscall::write:entry`?")),
        ("syscall:zork:entry { trace(1); }", Some("`-Z` permits descriptions that match nothing")),
        (
            "tracepoint:syscalls:sys_enter_openat { trace(str(args.filename)); }",
            Some("system calls are probed by name: `syscall::openat:entry`"),
        ),
        ("uprobe:/bin/bash:readline { trace(1); }", Some("probes in processes are not supported yet")),
        (
            "BEGIN { trace(sizeof(struct timespec)); }",
            Some(
                "nothing is known of struct timespec: a script run with `-C` may include the header that defines it; \
                 this source has no type data of the kernel",
            ),
        ),
        (
            "BEGIN /execname == 'cat'/ { }",
            Some("strings stand in double quotes; single ones make a number of a character"),
        ),
        (
            "BEGIN { printf('hello'); }",
            Some("strings stand in double quotes; single ones make a number of a character"),
        ),
        (
            "BEGIN { trace(strlen('hello')); }",
            Some("strings stand in double quotes; single ones make a number of a character"),
        ),
        ("BEGIN /execname == 1/ { }", None),
        ("BEGIN /execname == \"cat\" { }", Some("the predicate is not closed: `/` ends it")),
        (
            "BEGIN { let x = 1; }",
            Some("a variable needs no declaration: `x = 1` makes it, and `this->x = 1` one of the clause"),
        ),
        ("BEGIN { b = count(); }", Some("the name of an aggregation begins with `@`: `@b = count(…)`")),
        ("BEGIN { b = 1; b = sum(2); }", Some("the name of an aggregation begins with `@`: `@b = sum(…)`")),
        ("BEGIN { @ = percentile(1, 99.9); }", Some("999 is 99.9 percent, 9999 is 99.99 percent")),
        ("BEGIN { @ = sum(1.5); }", None),
        (
            "syscall::write:entry { printf(\"%s\", args[1]); }",
            Some("copyinstr() reads the string at an address of the traced process"),
        ),
        ("syscall::write:entry { printf(\"%x\", args[1]); }", Some("`%p` prints a pointer")),
        (
            "char *p; BEGIN { printf(\"%s\", p); }",
            Some(
                "stringof() reads a string of the kernel, and copyinstr() one of the traced process, as the arguments of system calls are",
            ),
        ),
        (
            "BEGIN { commit(1); raise(2); }",
            Some("it can stand in a clause of its own, with the same probe and predicate"),
        ),
        ("BEGIN { raise(\"KILL\"); }", Some("signals have names without quotes: `SIGKILL`")),
        ("BEGIN { raise(\"SIGWINCH\"); }", Some("signals have names without quotes: `SIGWINCH`")),
        ("BEGIN { raise(\"now\"); }", Some("strtoll() gives the number that a string begins with")),
        ("BEGIN { chill(5); }", Some("programs in the kernel (eBPF) cannot wait")),
        ("BEGIN { trace(args->filename); }", Some(crate::check::errors::ARGUMENTS)),
        ("BEGIN { trace(args.filename); }", Some(crate::check::errors::ARGUMENTS)),
        ("BEGIN { trace(args); }", Some(crate::check::errors::ARGUMENTS)),
        ("BEGIN { trace(fds); }", None),
        ("BEGIN { @[ustack] = count(); }", Some("it is called: `ustack()`")),
        ("BEGIN { @[stack] = count(); }", Some("it is called: `stack()`")),
        ("BEGIN { print(@a); }", Some("`printa` prints aggregations")),
        ("BEGIN { printa(@a); }", None),
        (
            "BEGIN { @a = count(); printa(\"%d\", @a); }",
            Some("`%@d` prints the result of an aggregation, and `%d` one of its keys"),
        ),
        ("BEGIN { @a = count(); printa(\"%@d %d\", @a); }", None),
        ("BEGIN { prinft(\"x\"); }", Some("did you mean printf()?")),
        (
            "BEGIN { trace(cgroup); }",
            Some("D has no variable for the control group: compare `pid` or `execname`"),
        ),
        ("BEGIN { @a = count(); print(@a); }", Some("`printa` prints aggregations")),
        ("BEGIN { @a = count(); trace(@a); }", Some("`printa` prints aggregations")),
        ("BEGIN { @a = count(); printf(\"%d\", @a); }", Some("`printa` prints aggregations")),
        (
            "BEGIN { @start[tid] = timestamp; }",
            Some(
                "`@` is for count(), sum() and their kin; a value is kept in `start`, `start[…]` or `self->start`",
            ),
        ),
        (
            "BEGIN { @ = 1; }",
            Some("`@` is for count(), sum() and their kin; a value is kept in `x`, `x[…]` or `self->x`"),
        ),
        ("BEGIN { alloca(1024); }", Some("`-x scratchsize=1024` has room for it")),
        (
            "syscall::write:entry { tracemem(copyin(arg1, 257), 16); }",
            Some("`-x scratchsize=257` has room for it"),
        ),
        ("BEGIN { alloca(1048576); }", Some("`-x scratchsize=1048576` has room for it")),
        ("BEGIN { alloca(1048577); }", None),
        ("BEGIN { strchr(\"a\", \"b\"); }", Some("a character stands in single quotes: 'b'")),
        (
            "BEGIN { strrchr(\"a\", \"bc\"); }",
            Some("it takes one character, which stands in single quotes; strstr() looks for a string"),
        ),
        (
            "BEGIN { trace(copyinstr(\"abc\")); }",
            Some("it takes an address of the traced process, such as `arg1`; a string has none"),
        ),
        (
            "BEGIN { copyin(execname, 3); }",
            Some("it takes an address of the traced process, such as `arg1`; a string has none"),
        ),
        (
            "BEGIN { trace(strlen(arg1)); }",
            Some("copyinstr() reads the string at an address of the traced process"),
        ),
        ("BEGIN { trace(strjoin(\"a\", 1)); }", Some("lltostr() makes a string of a number")),
        (
            "BEGIN { trace(substr(\"abc\", \"b\")); }",
            Some("strtoll() gives the number that a string begins with"),
        ),
        ("BEGIN { printf(\"%hd\", timestamp); }", Some("`%d` prints an integer of any size")),
        ("BEGIN { printf(\"%llx\", pid); }", Some("`%x` prints an integer of any size")),
        ("BEGIN { printf(\"%c\", timestamp); }", Some("use a cast to `char`")),
        (
            "BEGIN { printf(\"%Y\", pid); }",
            Some("it takes 64 bits, nanoseconds since 1970 as `walltimestamp` has them"),
        ),
        ("BEGIN { printf(\"%s\", 5); }", Some("`%d` prints an integer")),
        ("BEGIN { printf(\"%f\", 5); }", Some("`%d` prints an integer")),
        ("BEGIN { printf(\"%d\", \"a\"); }", Some("`%s` prints a string")),
        ("BEGIN { self->s = stack(); printf(\"%d\", self->s); }", Some("`%k` prints a stack")),
        ("float f; BEGIN { printf(\"%d\", f); }", Some("`%f` prints a floating-point number")),
        (
            "BEGIN { trace(arg10); }",
            Some("arguments are `arg0` to `arg9`, and those that have types `args[0]`, `args[1]` and on"),
        ),
        (
            "BEGIN { trace(args1); }",
            Some("arguments are `arg0` to `arg9`, and those that have types `args[0]`, `args[1]` and on"),
        ),
        ("struct pair { int a; }; struct piar v; BEGIN { }", Some("did you mean struct pair?")),
        ("struct pair { int a; }; struct piar v[2]; BEGIN { }", Some("did you mean struct pair?")),
        (
            "struct pair { int a; }; struct two { struct piar v; }; BEGIN { }",
            Some("did you mean struct pair?"),
        ),
        ("struct pair { int a; }; BEGIN { trace(sizeof (struct piar)); }", Some("did you mean struct pair?")),
        (
            "struct pair { int a; }; BEGIN { trace(((struct piar *)arg0)->a); }",
            Some("did you mean struct pair?"),
        ),
        ("enum shape { ROUND }; enum shaep v; BEGIN { }", Some("did you mean enum shape?")),
        // A tag of another kind, and a struct within itself.
        ("union pair { int a; }; struct piar v; BEGIN { }", None),
        ("struct pairs { int a; }; struct pair { struct pair v; }; BEGIN { }", None),
        (
            "struct o { int a; int b; }; struct i { int x; }; translator struct o < struct i *t > { a = 1; b = \
             xlate<struct o>(t).a; }; BEGIN { }",
            Some("a translator cannot use itself: this one to struct o is not there before its members are"),
        ),
        (
            "struct o { int a; int b; }; struct i { int x; }; translator struct o < struct i *t > { a = 1; b = \
             xlate<struct o *>(t)->a; }; BEGIN { }",
            Some(
                "a translator cannot use itself: this one to struct o * is not there before its members are",
            ),
        ),
        // Another input is another translator's.
        (
            "struct o { int a; int b; }; struct i { int x; }; translator struct o < struct i *t > { a = 1; b = \
             xlate<struct o>(*t).a; }; BEGIN { }",
            None,
        ),
        ("BEGIN { panic(); }", Some("programs in the kernel (eBPF) cannot stop the kernel")),
        ("BEGIN { breakpoint(); }", Some("programs in the kernel (eBPF) cannot enter the kernel's debugger")),
    ] {
        assert_eq!(help(source).as_deref(), expect, "{source}");
    }
}
