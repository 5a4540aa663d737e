//! C headers as D can read them: a text that `cpp` has made in, a text of equal length out (language spec §2.14).
//!
//! Headers of the system are written for C compilers, in words that D has not: `__attribute__`, `__asm__`, inline
//! functions, initial values. Line marks tell what came from a header of the system, and only there such words are blanked out,
//! spelt as D spells them, or the declaration is left out that cannot be said in D ([`WORDS`]). Text of the script itself
//! is never changed. No byte moves, so every place stays true; line marks stay too.

use std::borrow::Cow;
use std::collections::HashSet;

use super::control::{self, Control};
use super::literal::{self, Quoted};
use super::words::{Names, Predefined, continues_identifier, is_space, starts_identifier};

/// What becomes of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    /// It is blanked out.
    Drop,
    /// It is blanked out with the parentheses behind it.
    DropCall,
    /// It is blanked out with everything up to its semicolon.
    DropStatement,
    /// It is spelt otherwise.
    Spell(&'static str),
    /// The declaration that it stands in is left out.
    LeaveOut,
}

/// The words of C and of its compilers that D has not, or has otherwise.
const WORDS: &[(&str, Treatment)] = &[
    ("_Alignas", Treatment::LeaveOut),
    ("_Alignof", Treatment::LeaveOut),
    ("_Atomic", Treatment::LeaveOut),
    ("_BitInt", Treatment::LeaveOut),
    ("_Complex", Treatment::LeaveOut),
    ("_Decimal128", Treatment::LeaveOut),
    ("_Decimal32", Treatment::LeaveOut),
    ("_Decimal64", Treatment::LeaveOut),
    ("_Float128", Treatment::LeaveOut),
    ("_Float16", Treatment::LeaveOut),
    ("_Float32", Treatment::LeaveOut),
    ("_Float32x", Treatment::LeaveOut),
    ("_Float64", Treatment::LeaveOut),
    ("_Float64x", Treatment::LeaveOut),
    ("_Generic", Treatment::LeaveOut),
    ("_Imaginary", Treatment::LeaveOut),
    ("_Noreturn", Treatment::Drop),
    ("_Static_assert", Treatment::DropStatement),
    ("_Thread_local", Treatment::Drop),
    ("__alignof__", Treatment::LeaveOut),
    ("__asm", Treatment::DropCall),
    ("__asm__", Treatment::DropCall),
    ("__attribute", Treatment::DropCall),
    ("__attribute__", Treatment::DropCall),
    ("__auto_type", Treatment::LeaveOut),
    ("__bf16", Treatment::LeaveOut),
    ("__builtin_va_list", Treatment::Spell("void *")),
    ("__complex__", Treatment::LeaveOut),
    ("__const", Treatment::Spell("const")),
    ("__const__", Treatment::Spell("const")),
    ("__extension__", Treatment::Drop),
    ("__float128", Treatment::LeaveOut),
    ("__inline", Treatment::Drop),
    ("__inline__", Treatment::Drop),
    ("__int128", Treatment::LeaveOut),
    ("__int128_t", Treatment::LeaveOut),
    ("__restrict", Treatment::Drop),
    ("__restrict__", Treatment::Drop),
    ("__signed", Treatment::Spell("signed")),
    ("__signed__", Treatment::Spell("signed")),
    ("__thread", Treatment::Drop),
    ("__typeof", Treatment::LeaveOut),
    ("__typeof__", Treatment::LeaveOut),
    ("__uint128_t", Treatment::LeaveOut),
    ("__volatile", Treatment::Spell("volatile")),
    ("__volatile__", Treatment::Spell("volatile")),
    ("asm", Treatment::DropCall),
    ("inline", Treatment::Drop),
    ("restrict", Treatment::Drop),
    ("static", Treatment::Drop),
    ("static_assert", Treatment::DropStatement),
    ("typeof", Treatment::LeaveOut),
];

/// The attributes, without the underscores around them, that change how large a type is or where members stand.
const LAYOUT: &[&str] = &[
    "aligned",
    "ext_vector_type",
    "gcc_struct",
    "mode",
    "ms_struct",
    "packed",
    "scalar_storage_order",
    "vector_size",
];

/// What `__attribute__((mode(…)))` makes of an integer, without the underscores around it.
const MODES: &[(&str, &str)] = &[
    ("QI", "char"),
    ("HI", "short"),
    ("SI", "int"),
    ("DI", "long"),
    ("byte", "char"),
    ("word", "long"),
    ("pointer", "long"),
];

/// The words that integer types are made of.
const INTEGERS: &[&str] = &["char", "int", "long", "short", "signed", "unsigned"];

/// The largest alignment that `#pragma pack` can leave as it is.
const NATURAL: usize = 16;

fn treatment(word: &str) -> Option<Treatment> {
    WORDS.binary_search_by_key(&word, |row| row.0).ok().map(|i| WORDS[i].1)
}

/// The text with what came from included files made readable, and what a header does not finish, if one does so: where the
/// declaration starts, and where in it the part that has no end. Nothing behind was read.
pub(super) fn readable(text: &str) -> (Cow<'_, str>, Option<(usize, usize)>) {
    let enters = |line: &str| system(line) == Some(true);
    if !text.lines().any(enters) {
        return (Cow::Borrowed(text), None);
    }
    let mut reader = Reader {
        text,
        out: text.as_bytes().to_vec(),
        pos: 0,
        depth: 0,
        declaration: Declaration::default(),
        absent: HashSet::new(),
        pack: NATURAL,
        packs: Vec::new(),
        unfinished: None,
    };
    reader.read();
    // Whole characters are replaced by blanks, so that this is text still.
    let read = String::from_utf8(reader.out).unwrap_or_else(|_| text.to_string());
    (Cow::Owned(read), reader.unfinished)
}

/// Whether a line mark says that a header of the system follows (its flag 3): others may be D.
pub(super) fn system(line: &str) -> Option<bool> {
    if !line.starts_with('#') || !matches!(control::read(line), Ok(Control::Line(_))) {
        return None;
    }
    Some(line.rsplit('"').next().is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "3")))
}

/// The declaration being read.
#[derive(Debug, Default)]
struct Declaration<'a> {
    /// Where it starts.
    start: usize,
    /// Its first word, and the last one outside of brackets.
    words: (&'a str, &'a str),
    /// It cannot be said in D.
    left_out: bool,
    /// A struct, union or enum in it has a place in memory that D cannot know: where its body starts.
    packed: bool,
    parens: usize,
    /// Where the keyword of each open struct, union or enum stands, or its brace.
    braces: Vec<usize>,
    /// The last keyword `struct`, `union` or `enum`.
    keyword: usize,
    /// An empty struct that must go with the member it is the type of: where it starts, and at how many braces.
    empty: Option<(usize, usize)>,
    /// It has parentheses, and they are open around a declarator such as `(*name[2])`, not around parameters.
    has_parens: bool,
    /// The square brackets that are open around constants.
    brackets: usize,
    grouping: bool,
    /// The last byte that is not blank, and where.
    last: (u8, usize),
}

struct Reader<'a> {
    text: &'a str,
    out: Vec<u8>,
    pos: usize,
    depth: usize,
    declaration: Declaration<'a>,
    /// The typedefs that were left out.
    absent: HashSet<&'a str>,
    /// What `#pragma pack` has set, and what was set before its `push`.
    pack: usize,
    packs: Vec<usize>,
    /// Where a declaration starts that a header does not finish, and the part that has no end. Reading ends there.
    unfinished: Option<(usize, usize)>,
}

impl<'a> Reader<'a> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn read(&mut self) {
        let mut line_start = true;
        while self.unfinished.is_none()
            && let Some(b) = self.byte(self.pos)
        {
            if line_start && (b == b'#' || self.depth == 0) {
                let line = self.text[self.pos..].split('\n').next().unwrap_or("");
                if let Some(system) = system(line) {
                    self.depth = usize::from(system);
                }
                self.pragma(line);
                if self.depth == 0 {
                    self.declaration = Declaration::default();
                }
                self.pos += line.len() + 1;
                continue;
            }
            line_start = b == b'\n';
            match b {
                _ if is_space(b) => self.pos += 1,
                b'"' | b'\'' => {
                    self.solid(b);
                    self.pos += self.quoted();
                }
                _ if starts_identifier(b) => self.word(),
                _ if b.is_ascii_digit() => {
                    self.solid(b);
                    self.number();
                }
                _ => self.punctuation(b),
            }
        }
    }

    /// Obeys `#pragma pack`.
    fn pragma(&mut self, line: &str) {
        let mut words =
            line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        if (words.next(), words.next()) != (Some("pragma"), Some("pack")) {
            return;
        }
        let mut set = NATURAL;
        for word in words {
            match word {
                "push" => {
                    self.packs.push(self.pack);
                    set = self.pack;
                }
                "pop" => set = self.packs.pop().unwrap_or(NATURAL),
                word => set = word.parse().unwrap_or(set),
            }
        }
        self.pack = set;
    }

    /// What attributes of a declaration, which stand at some bytes, say of its layout.
    fn attributes(&mut self, start: usize, open: usize, end: usize) {
        let inside = &self.text[open..end];
        let words = || {
            let words = inside.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            words.filter(|word| !word.is_empty()).map(|word| word.trim_matches('_'))
        };
        if !words().any(|word| LAYOUT.contains(&word)) {
            return;
        }
        let mode = words().skip_while(|&word| word != "mode").nth(1);
        let integer = MODES.iter().find(|row| Some(row.0) == mode && words().count() == 2);
        let typedef = integer.and_then(|row| self.with_mode(start, row.1));
        match typedef {
            Some(typedef)
                if self.declaration.start + typedef.len() <= end
                    && !self.text[self.declaration.start..end].contains('\n') =>
            {
                let from = self.declaration.start;
                self.blank(from, end);
                self.out[from..from + typedef.len()].copy_from_slice(typedef.as_bytes());
            }
            _ => self.declaration.packed = true,
        }
    }

    /// A typedef of an integer up to a byte, with another size; nothing if it is more than that.
    fn with_mode(&self, end: usize, integer: &str) -> Option<String> {
        let mut words = self.text[self.declaration.start..end].split_whitespace().peekable();
        if self.declaration.last.0 == 0 || words.next() != Some("typedef") {
            return None;
        }
        let mut sign = "signed";
        while let Some(word) = words.next_if(|word| INTEGERS.contains(&word.trim_matches('_'))) {
            if word == "unsigned" {
                sign = "unsigned";
            }
        }
        let name = words.next().unwrap_or("");
        let plain = words.next().is_none() && name.bytes().all(continues_identifier);
        plain.then(|| format!("typedef {sign} {integer} {name}"))
    }

    /// Takes note of a token of the declaration.
    fn solid(&mut self, b: u8) {
        if self.declaration.last.0 == 0 {
            self.declaration.start = self.pos;
        }
        self.declaration.last = (b, self.pos);
    }

    fn word_len(&self) -> usize {
        self.text.as_bytes()[self.pos..].iter().take_while(|&&b| continues_identifier(b)).count()
    }

    /// An enumerator beyond 32 bits has no type in D.
    fn number(&mut self) {
        let (start, len) = (self.pos, self.word_len());
        self.pos += len;
        let of_enum = self.declaration.braces.last().is_some_and(|&at| self.text[at..].starts_with("enum"));
        if !of_enum {
            return;
        }
        let digits = self.text[start..self.pos].trim_end_matches(['u', 'U', 'l', 'L']);
        let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        let value = value.unwrap_or(u64::MAX);
        let shifts = self.text[..start].trim_end().ends_with("<<");
        self.declaration.left_out |= value > u64::from(u32::MAX) || (shifts && value >= 32);
    }

    fn quoted(&self) -> usize {
        match literal::quoted(&self.text.as_bytes()[self.pos..]) {
            Quoted::Closed(len) => len,
            Quoted::Newline(at, _) => at.max(1),
            Quoted::Open => self.text.len() - self.pos,
        }
    }

    fn word(&mut self) {
        let (start, len) = (self.pos, self.word_len());
        let word: &'a str = &self.text[start..start + len];
        let treatment = match self.absent.contains(word) {
            true => Some(Treatment::LeaveOut),
            false => treatment(word),
        };
        let outermost = self.declaration.braces.is_empty() && self.declaration.parens == 0;
        if matches!(word, "struct" | "union" | "enum") {
            self.declaration.keyword = start;
        }
        if matches!(treatment, None | Some(Treatment::Spell(_) | Treatment::LeaveOut)) {
            if self.declaration.last.0 == 0 {
                self.declaration.words.0 = word;
            }
            if outermost {
                self.declaration.words.1 = word;
                // The parameters of a function as C declared them once.
                if self.declaration.last.0 == b')' {
                    self.declaration.left_out = true;
                }
            }
            self.solid(b'a');
        }
        self.pos = start + len;
        match treatment {
            None => {}
            Some(Treatment::Drop) => self.blank(start, self.pos),
            Some(Treatment::Spell(other)) => {
                self.blank(start, self.pos);
                self.out[start..start + other.len()].copy_from_slice(other.as_bytes());
            }
            Some(Treatment::LeaveOut) => self.declaration.left_out = true,
            Some(Treatment::DropCall) => {
                let open = self.next_token(self.pos);
                // `__asm__ volatile (…)` stands in bodies only.
                if self.byte(open) == Some(b'(') {
                    let Some(end) = self.balanced(open) else {
                        return self.has_no_end(start);
                    };
                    self.pos = end;
                    self.blank(start, end);
                    if word.contains("attribute") {
                        self.attributes(start, open, end);
                    }
                    return;
                }
                self.blank(start, self.pos);
            }
            Some(Treatment::DropStatement) => {
                let Some(end) = self.end_of_value(self.pos, b";") else {
                    return self.has_no_end(start);
                };
                self.pos = end + 1;
                self.blank(start, self.pos);
            }
        }
    }

    fn punctuation(&mut self, b: u8) {
        let at = self.pos;
        let before = self.declaration.last;
        self.solid(b);
        self.pos += 1;
        let outermost = self.declaration.braces.is_empty() && self.declaration.parens == 0;
        match b {
            b'[' if outermost => self.declaration.brackets += 1,
            b']' if outermost => self.declaration.brackets = self.declaration.brackets.saturating_sub(1),
            _ => {}
        }
        match b {
            b'(' => {
                if self.declaration.parens == 0 {
                    self.declaration.grouping = self.byte(self.next_token(self.pos)) == Some(b'*');
                }
                self.declaration.has_parens = true;
                self.declaration.parens += 1;
            }
            b')' => self.declaration.parens = self.declaration.parens.saturating_sub(1),
            b'{' if outermost && before.0 == b')' => {
                let Some(end) = self.balanced(at) else {
                    return self.has_no_end(at);
                };
                self.blank(at, end);
                self.out[at] = b';';
                self.pos = end;
                self.ends(at + 1);
            }
            // The body of a function whose parameters were declared as C did once.
            b'{' if before.0 == 0 => {
                let Some(end) = self.balanced(at) else {
                    return self.has_no_end(at);
                };
                self.blank(at, end);
                self.pos = end;
                self.declaration = Declaration::default();
            }
            b'{' => {
                let keyword = self.declaration.keyword;
                let of_enum = self.text[keyword..].starts_with("enum");
                self.declaration.left_out |= self.pack < NATURAL && !of_enum;
                self.declaration.braces.push(keyword);
            }
            b'}' => {
                let keyword = self.declaration.braces.pop();
                match before.0 {
                    b',' => self.blank(before.1, before.1 + 1),
                    b'{' => {
                        let braces = self.declaration.braces.len();
                        self.declaration.left_out |= braces == 0;
                        self.declaration.empty = keyword.map(|keyword| (keyword, braces));
                    }
                    _ => {}
                }
            }
            // How large an array of parameters is does not matter; what C says there may be no constant.
            b'[' if self.declaration.parens > usize::from(self.declaration.grouping)
                && self.declaration.braces.is_empty()
                && self.declaration.brackets == 0 =>
            {
                let Some(end) = self.balanced(at) else {
                    return self.has_no_end(at);
                };
                self.blank(at + 1, end - 1);
                if before.0 == b']' && end - at > 2 {
                    self.out[at + 1] = b'1';
                }
                self.pos = end;
                self.declaration.last = (b']', end - 1);
            }
            // An array of no elements is one of as many as there are.
            b']' if before.0 == b'0'
                && self.text[..before.1].trim_end().ends_with('[')
                && self.text[before.1 + 1..at].trim().is_empty() =>
            {
                self.blank(before.1, before.1 + 1);
            }
            b'=' if outermost => {
                let Some(end) = self.end_of_value(self.pos, b",;") else {
                    return self.has_no_end(at);
                };
                self.blank(at, end);
                self.pos = end;
            }
            b';' if outermost => self.ends(self.pos),
            b';' if self.declaration.parens == 0 && matches!(before.0, b';' | b'{') => {
                self.blank(at, self.pos);
                self.declaration.last = before;
            }
            b';' => {
                let braces = self.declaration.braces.len();
                if let Some((from, _)) = self.declaration.empty.take_if(|(_, level)| *level == braces) {
                    self.blank(from, self.pos);
                }
            }
            _ if !b.is_ascii() => {
                // The rest of the character.
                while self.byte(self.pos).is_some_and(|b| b & 0xc0 == 0x80) {
                    self.pos += 1;
                }
            }
            _ => {}
        }
    }

    /// The header ends before what starts at a byte.
    fn has_no_end(&mut self, at: usize) {
        let start = if self.declaration.last.0 == 0 { at } else { self.declaration.start };
        self.unfinished = Some((start, at));
    }

    /// The declaration ends before `end`.
    fn ends(&mut self, end: usize) {
        let declaration = std::mem::take(&mut self.declaration);
        // D's own variables stay what they are.
        let of_d = declaration.words.0 == "extern"
            && !declaration.has_parens
            && Predefined.is_global(declaration.words.1);
        let left_out = declaration.left_out || declaration.packed || of_d;
        if left_out || declaration.start + 1 == end {
            self.blank(declaration.start, end);
        }
        if left_out && declaration.words.0 == "typedef" {
            self.absent.insert(declaration.words.1);
        }
    }

    /// The next byte that is not white space.
    fn next_token(&self, from: usize) -> usize {
        from + self.text.as_bytes()[from..].iter().take_while(|&&b| is_space(b)).count()
    }

    /// Where the brackets end that open at a byte, if they do within headers.
    fn balanced(&self, open: usize) -> Option<usize> {
        let mut level = 0usize;
        self.skip(open, &mut |b| {
            match b {
                b'(' | b'[' | b'{' => level += 1,
                b')' | b']' | b'}' => level = level.saturating_sub(1),
                _ => {}
            }
            level == 0
        })
        .map(|last| last + 1)
    }

    /// Where a value ends: at the first of some bytes outside of brackets, if headers have one.
    fn end_of_value(&self, from: usize, ends: &[u8]) -> Option<usize> {
        let mut level = 0usize;
        self.skip(from, &mut |b| {
            match b {
                b'(' | b'[' | b'{' => level += 1,
                b')' | b']' | b'}' => level = level.saturating_sub(1),
                _ => {}
            }
            level == 0 && ends.contains(&b)
        })
    }

    /// The first byte from `from` on, outside of strings and control lines, that `stop` says yes to. None is looked for
    /// behind the line mark that leads out of the headers of the system.
    fn skip(&self, from: usize, stop: &mut dyn FnMut(u8) -> bool) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < bytes.len() {
            match bytes[at] {
                b'\n' if bytes.get(at + 1) == Some(&b'#') => {
                    let line = self.text[at + 1..].split('\n').next().unwrap_or("");
                    if system(line) == Some(false) {
                        return None;
                    }
                    at += 1 + line.len();
                }
                b'"' | b'\'' => {
                    at += match literal::quoted(&bytes[at..]) {
                        Quoted::Closed(len) => len,
                        Quoted::Newline(len, _) => len.max(1),
                        Quoted::Open => return None,
                    };
                }
                b if stop(b) => return Some(at),
                _ => at += 1,
            }
        }
        None
    }

    /// Blanks bytes out, but no line mark.
    fn blank(&mut self, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            match self.text.as_bytes()[at] {
                b'\n' if self.byte(at + 1) == Some(b'#') => {
                    at += 1 + self.text.as_bytes()[at + 1..].iter().take_while(|&&b| b != b'\n').count();
                    continue;
                }
                b'\n' => {}
                _ => self.out[at] = b' ',
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a header, its lines joined and its blanks squeezed.
    fn header(text: &str) -> String {
        let whole = format!("# 1 \"a.d\"\n# 1 \"h.h\" 1 3\n{text}\n# 2 \"a.d\" 2\nstatic int __inline;\n");
        let (read, unfinished) = readable(&whole);
        assert_eq!((read.len(), unfinished), (whole.len(), None), "{text}");
        let lines = |text: &str| text.bytes().filter(|&b| b == b'\n').count();
        assert_eq!(lines(&read), lines(&whole));
        let rest = read.strip_prefix("# 1 \"a.d\"\n# 1 \"h.h\" 1 3\n").unwrap();
        let rest = rest.strip_suffix("\n# 2 \"a.d\" 2\nstatic int __inline;\n").unwrap();
        rest.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_of_compilers() {
        assert!(WORDS.is_sorted_by_key(|row| row.0));
        for (word, treatment) in WORDS {
            if let Treatment::Spell(other) = treatment {
                assert!(other.len() <= word.len(), "{word}");
            }
        }
        for (text, expected) in [
            ("int x;", "int x;"),
            ("typedef __signed__ char s8;", "typedef signed char s8;"),
            (
                "extern int f (char *__restrict s) __attribute__ ((__nothrow__ , leaf(\")\")));",
                "extern int f (char * s) ;",
            ),
            (
                "static __inline int f (int a) { if (a) { return '}'; } return 0; } int x;",
                "int f (int a) ; int x;",
            ),
            ("_Static_assert (sizeof (int) == 4, \"; no\"); int x;", "int x;"),
            ("__extension__ typedef long long int q;", "typedef long long int q;"),
            ("int f (void) __asm__ (\"\" \"g\");", "int f (void) ;"),
            ("static const int a[] = { 1, 2 }, b = 3; int c;", "const int a[] , b ; int c;"),
            ("extern double _Complex c (double _Complex z); int x;", "int x;"),
            ("enum e { A = 1, B, }; int x;", "enum e { A = 1, B };  int x;"),
            ("struct s { int a; struct { } b; char c[]; };", "struct s { int a; char c[]; };"),
            ("struct s { char a; int b; } __attribute__((packed)); int x;", "int x;"),
            (";;int x;", "int x;"),
            (
                "typedef int r_t __attribute__ ((__mode__ (__word__))); r_t x;",
                "typedef signed long r_t ; r_t x;",
            ),
            ("typedef unsigned int u __attribute__((mode(QI)));", "typedef unsigned char u ;"),
            ("typedef int __attribute__((mode(DI))) q; q x;", "typedef signed long q; q x;"),
            ("typedef float t __attribute__((mode(TF))); t f(void); int x;", "int x;"),
            ("typedef int v __attribute__((vector_size(16))); v f(void); int x;", "int x;"),
            (
                "typedef int v __attribute__((unused)); int x __attribute__((unused));",
                "typedef int v ; int x ;",
            ),
            ("typedef struct { char a; _Alignas(8) char b; } s; s f(s *); int x;", "int x;"),
            (
                "#pragma pack(push, 1)\nstruct s { char a; int b; };\n#pragma pack(pop)\nstruct t { char a; int b; };",
                "#pragma pack(push, 1) #pragma pack(pop) struct t { char a; int b; };",
            ),
            (
                "#pragma pack(1)\nstruct s { int a; }; enum e { A };\n#pragma pack()\nstruct t { int b; };",
                "#pragma pack(1) enum e { A }; #pragma pack() struct t { int b; };",
            ),
            (
                "int f(int n, int m[n], int b[*], int c[static 2][n]);",
                "int f(int n, int m[ ], int b[ ], int c[ ][1]);",
            ),
            ("typedef int (*a[3])(int b[4]); int x[5];", "typedef int (*a[3])(int b[ ]); int x[5];"),
            (
                "enum e { A, B = 0x100000000 }; enum { C = 1ULL << 32 }; enum { D = 1U << 31 };",
                "enum { D = 1U << 31 };",
            ),
            ("char a[sizeof (int[2])];", "char a[sizeof (int[2])];"),
            ("struct s { ; int a;; int b; };", "struct s { int a; int b; };"),
            ("int f(a) int a; { return a; } int x;", "int x;"),
            ("extern int cpu; extern int other; struct cpu;", "extern int other; struct cpu;"),
            (
                "struct s { int n; char data[0]; int m[10]; };",
                "struct s { int n; char data[ ]; int m[10]; };",
            ),
            ("typedef float _Float32; extern _Float32 f(_Float32); int x;", "int x;"),
            ("typedef struct { _Atomic int a; } a_t; a_t *f(int); struct t { a_t *a; }; int x;", "int x;"),
        ] {
            assert_eq!(header(text), expected.split_whitespace().collect::<Vec<_>>().join(" "), "{text}");
        }
    }

    #[test]
    fn line_marks_stay() {
        assert_eq!(
            header("int f (int a)\n{\n# 7 \"h.h\" 3\n  return a;\n}"),
            "int f (int a) ; # 7 \"h.h\" 3"
        );
    }

    #[test]
    fn nothing_else_is_changed() {
        for text in ["int x;\n", "# 1 \"a.d\"\nstatic int x = 1;\n# 2 \"b.d\" 2\ninline int y = 1;\n"] {
            assert!(matches!(readable(text), (Cow::Borrowed(_), None)), "{text}");
        }
    }

    #[test]
    fn unfinished_headers() {
        for (text, at) in [
            ("int f(void) {", Some(12)),
            ("int y; int f(void) { \"", Some(19)),
            ("int f(void)\n{\n# 3 \"i.h\" 1 3\nint a;\n# 4 \"h.h\" 2 3\n", Some(12)),
            ("struct s {", None),
            ("_Static_assert(", Some(0)),
            ("_Static_assert(1, \"\")", Some(0)),
            ("int x; __attribute__((", Some(7)),
            ("int x = 5", Some(6)),
            ("int x = {", Some(6)),
            ("int x", None),
            ("'é", None),
        ] {
            for rest in ["", "\n# 2 \"a.d\" 2\nEND { trace((1)); }; int f(int) { } }\n"] {
                let start = "# 1 \"h.h\" 1 3\n";
                let whole = format!("{start}{text}{rest}");
                let (read, unfinished) = readable(&whole);
                assert_eq!(unfinished.map(|(_, at)| at), at.map(|at| at + start.len()), "{text}");
                assert_eq!(read.len(), whole.len());
                assert!(read.ends_with(rest), "{text}");
            }
        }
    }
}
