//! The text form of IR read back: text in, [`Program`] or [`Clause`] out, or the line that cannot be read.
//!
//! [`super::print`] describes the form. Only the form is checked here, and that names exist; [`super::verify`] judges
//! the program.
//!
//! | file | reads |
//! |---|---|
//! | `cursor` | lines and tokens |
//! | `tables` | what stands before the clauses |
//! | `code` | clauses |

mod code;
mod cursor;
mod shapes;
mod tables;

use super::{Clause, Program};
use code::clause_at;
use cursor::Lines;
use tables::table_line;

/// Why a text is not IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: u32,
    /// What was expected, and the rest of the line.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Reads a whole program.
pub fn program(text: &str) -> Result<Program, ParseError> {
    let mut program = Program::default();
    let mut lines = Lines::new(text);
    while let Some(mut cx) = lines.next() {
        lines.located(table_line(&mut cx, &mut program))?;
        if cx.finished() {
            continue;
        }
        let (id, clause) = clause_at(cx, &mut lines, &mut program)?;
        if id.index() != program.clauses.len() {
            return Err(lines.error(format!("expected clause c{}", program.clauses.len())));
        }
        program.clauses.push(clause);
    }
    Ok(program)
}

/// Reads one clause against the tables of `program`. String constants the table lacks are added to it.
pub fn clause(text: &str, program: &mut Program) -> Result<Clause, ParseError> {
    let mut lines = Lines::new(text);
    let Some(cx) = lines.next() else { return Err(lines.error("expected a clause".to_owned())) };
    let (_, clause) = clause_at(cx, &mut lines, program)?;
    match lines.next() {
        None => Ok(clause),
        Some(_) => Err(lines.error("expected nothing after the clause".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::cursor::without_comment;
    use super::*;
    use crate::env::FiredBy;
    use crate::ir::print::{self, Spans};
    use crate::ir::{ClauseId, RegKind};

    /// Every table and every op, in the form the printer gives.
    const ALL: &str = r#"limits strsize 64 scratchsize 512
p0 = probe 42 syscall:vmlinux:read:entry source
    args "int", "char *" userland
    stability Evolving/Evolving/ISA Private/Private/Unknown
p1 = probe 1 dtrace:::BEGIN tracer
p2 = probe 3 dtrace:::ERROR fault
p3 = probe 9 "a b"::"x:y\xc3\xa9":n source
var x: i32
var self->t: u64
var this->s: string
var a[i32, string]: ptr
var x: u8
agg @_[string]: quantize
agg @lat[]: lquantize(-5, 100, 10)
agg @ll[]: llquantize(10, 0, 6, 20)
agg @sd[i64]: stddev
agg @pc[]: percentile(50, 999, 100)
agg @di[]: distinct(string)
agg @to[i64]: topk(10, int)
string "passwd"
string "passwd"
string "a\"\\\n\t\x00\xff;"
g0 = @_ in c0 @10..20
g1 = @lat in c0 @1:1..2
k0 = printf in c0 stmt 1 (string, i32) @3..9 format %-16.3s "a; b\n" %0+_#'5d32 %*.*x64 %w0.0!10,1,1,8 %c %C %S %T %Y %a %A %k %e
k1 = printa in c0 stmt 2 () aggs @_, @lat format %@8d64
k2 = printa in c0 stmt 2 () aggs @_
k3 = trunc in c0 stmt 3 (i64) agg @lat
k4 = default in c0 ()
k5 = printf in c0 stmt 4 () format
enable c0 on p0, p1
enable c0 on p2
clause c0 number 7 @0..40 {
  regs i3 s4
b0:
    i0 = builtin pid
    i1 = -9223372036854775808 @3..9
    i2 = eq i0, i1 #7 @2:3..9
    i2 = ne i0, i1
    i2 = lts i0, i1
    i2 = les i0, i1
    i2 = ltu i0, i1
    i2 = leu i0, i1
    branch i2 ? b1 : b2 merge b2
b1:
  stmt 1
    i1 = add i0, i2
    i1 = sub i0, i2
    i1 = mul i0, i2
    i1 = divs i0, i2
    i1 = divu i0, i2
    i1 = rems i0, i2
    i1 = remu i0, i2
    i1 = and i0, i2
    i1 = or i0, i2
    i1 = xor i0, i2
    i1 = shl i0, i2
    i1 = shrs i0, i2
    i1 = shru i0, i2
    i1 = neg i0
    i1 = not i0
    i1 = sext8 i0
    i1 = zext32 i0
    i1 = i0
    s5 = "passwd"
    s5 = str 1
    s5 = "a\"\\\n\t\x00\xff;"
    s6 = null
    s6 = s5
    i1 = streq s5, s6
    i1 = strne s5, s6
    i1 = strltu s5, s6
    i1 = strleu s5, s6
    goto b2
b2:
    i0 = builtin arg9
    i0 = builtin <task start>
    s5 = builtin execname
    i0 = load u32 user [i1]
    i0 = load i8 any [i1]
    s5 = loadstr scratch [i1] limit 256
    store u16 [i1] = i0
    i0 = get self->t
    s5 = get this->s
    set %0 = i0
    set %4 = i0
    i0 = get a[i0, s5]
    set a[i0, s5] = i1
    aggregate g0 [s5] (i0) weight i1
    aggregate g1 [] (i0)
    aggregate g1 []
    i0 = call strlen(s5)
    s5 = call <suffix>(s5, i0)
    record k4 ()
  stmt 2
    record k0 (s5, i0)
    send $1 = s5
    work
    setbit 63
    control exit i0
    control cut
    s5 = recv $0
    i0 = bit 3
    faultpoint
    faultpoint $2 #200
    attempt b3 -> $1 merge b4
b3:
    goto b4
b4:
    return
}
"#;

    #[test]
    fn reading_back_what_was_printed() {
        let first = program(ALL).unwrap();
        let printed = print::program(&first, Spans::Keep);
        let bare: String = printed.lines().map(|l| without_comment(l).trim_end().to_owned() + "\n").collect();
        // The printer adds comments only, and two of the texts hold a `;`.
        assert_eq!(bare, ALL);
        assert_eq!(program(&printed).unwrap(), first);
        let clause_text = print::clause(&first, ClauseId(0), &first.clauses[0], Spans::Keep);
        assert_eq!(clause(&clause_text, &mut first.clone()).unwrap(), first.clauses[0]);
    }

    #[test]
    fn what_can_be_left_out() {
        let p = program(
            "p0 = probe 4 syscall::read:entry\nvar x: i32\nclause c0 {\nb0:\n  s0 = \"a\"\n  set x = i1\n  return\n}",
        )
        .unwrap();
        assert_eq!(p.strings, [Box::from(*b"a")]);
        assert_eq!(p.probes[0].fired_by, FiredBy::Source);
        assert_eq!(p.clauses[0].regs, [RegKind::Str, RegKind::Int]);
        assert_eq!(p.clauses[0].blocks[0].insts[1].point, 1);
    }

    #[test]
    fn notes_say_what_a_site_is() {
        let p = program(ALL).unwrap();
        let text = print::clause(&p, ClauseId(0), &p.clauses[0], Spans::Omit);
        for line in [
            "    aggregate g0 [s5] (i0) weight i1  ; @_ quantize\n",
            "    record k4 ()  ; default\n",
            "    i2 = eq i0, i1\n",
            "    i1 = divs i0, i2 #16\n",
        ] {
            assert!(text.contains(line), "{line}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        for (text, message) in [
            ("p1 = probe 1 a:b:c:d", "line 1: expected p0, found p1"),
            ("\n; nothing\nfoo", "line 3: expected a line of a program at `foo`"),
            ("var x: f32", "line 1: expected a type, found `f32`"),
            ("clause c0 {\nb0:\n  i0 = frob i1\n}", "line 3: unknown operation `frob`"),
            ("clause c0 {\nb0:\n  i0 = get y\n}", "line 3: unknown variable `y`"),
            ("clause c0 {\nb0:\n  i0 = s0\n}", "line 3: register 0 is both `i` and `s`"),
            ("clause c0 {\nb0:\n}", "line 3: b0 has no terminator"),
            ("clause c0 {\n  i0 = 1\n}", "line 2: expected `b0:` first"),
            ("clause c0 {\nb0:\n return\n i0 = 1\n}", "line 4: expected the next block after a terminator"),
            ("clause c1 {\nb0:\n return\n}", "line 4: expected clause c0"),
            ("clause c0 {\nb0:\n return", "line 3: expected `}`"),
            ("string \"a", "line 1: expected a closed text at `\"a`"),
            ("string \"\\xé\"", "line 1: expected two hexadecimal digits in the text at `\"\\xé\"`"),
            ("clause c0 {\nb0:\n i4000000000 = 1\n}", "line 3: register number 4000000000 is too high"),
        ] {
            assert_eq!(program(text).unwrap_err().to_string(), message, "{text}");
        }
    }
}
