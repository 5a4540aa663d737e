//! The bounded string subroutines (runtime spec §8, §8.1) on bytes: what they pick of their arguments, as ranges, so that
//! most results share the bytes of an argument; where they cannot, as new bytes. No string here holds a NUL.

use std::ops::Range;

/// `substr(s, start, count)` of a string of `length` bytes. An absent count is `strsize`.
pub(super) fn substr(length: usize, start: i64, count: i64) -> Range<usize> {
    let length = length as i128;
    let (mut start, mut count) = (i128::from(start), i128::from(count));
    if start < 0 {
        start += length;
    }
    if start < 0 {
        if count <= -start {
            return 0..0;
        }
        count += start;
        start = 0;
    }
    if start >= length {
        return 0..0;
    }
    if count < 0 {
        count += length - start;
    }
    let count = count.clamp(0, length - start);
    start as usize..(start + count) as usize
}

/// Where `needle` first occurs at or after `from`. An empty one occurs everywhere up to the end.
pub(super) fn find(text: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    let tail = text.get(from..)?;
    let Some((&first, rest)) = needle.split_first() else { return Some(from) };
    let last = tail.len().checked_sub(needle.len())?;
    let mut at = 0;
    while at <= last {
        at += tail[at..=last].iter().position(|&byte| byte == first)?;
        if tail[at + 1..].starts_with(rest) {
            return Some(from + at);
        }
        at += 1;
    }
    None
}

/// Where `needle` last occurs at or before `from`.
pub(super) fn find_last(text: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    let last = text.len().checked_sub(needle.len())?.min(from);
    (0..=last).rev().find(|&at| text[at..].starts_with(needle))
}

/// `cleanpath(path)`.
pub(super) fn cleanpath(path: &[u8]) -> Vec<u8> {
    if path.len() < 2 {
        return path.to_vec();
    }
    let absolute = path[0] == b'/';
    let mut kept: Vec<&[u8]> = Vec::new();
    for component in path.split(|&byte| byte == b'/') {
        match component {
            b"" | b"." => {}
            b".." if kept.last().is_some_and(|&last| last != b"..") => {
                kept.pop();
            }
            b".." if absolute => {}
            _ => kept.push(component),
        }
    }
    let mut clean = if absolute { vec![b'/'] } else { Vec::new() };
    clean.extend(kept.join(&b'/'));
    if clean.is_empty() {
        clean.push(b'.');
    }
    clean
}

/// What `strtok` remembers of a CPU: the string, and where its next token may begin.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    text: Vec<u8>,
    at: usize,
}

impl Tokens {
    /// The first token of a string.
    pub(super) fn start(&mut self, text: &[u8], delimiters: &[u8]) -> Option<&[u8]> {
        self.text.clear();
        self.text.extend_from_slice(text);
        self.at = 0;
        self.next(delimiters)
    }

    /// The next token.
    pub(super) fn next(&mut self, delimiters: &[u8]) -> Option<&[u8]> {
        let rest = self.text.get(self.at..).unwrap_or(&[]);
        let Some(skipped) = rest.iter().position(|byte| !delimiters.contains(byte)) else {
            self.at = self.text.len();
            return None;
        };
        let start = self.at + skipped;
        let token = &self.text[start..];
        let length = token.iter().position(|byte| delimiters.contains(byte)).unwrap_or(token.len());
        self.at = start + length + 1;
        Some(&token[..length])
    }
}

/// `basename(path)`: a range of the path, or `None` where the result is the constant `.`.
pub(super) fn basename(path: &[u8]) -> Option<Range<usize>> {
    if path.is_empty() {
        return None;
    }
    let Some(last) = path.iter().rposition(|&byte| byte != b'/') else { return Some(0..1) };
    let start = path[..last].iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    Some(start..last + 1)
}

/// `dirname(path)`: likewise.
pub(super) fn dirname(path: &[u8]) -> Option<Range<usize>> {
    if path.is_empty() {
        return None;
    }
    // What precedes the last component, then what precedes the slashes between.
    let Some(last) = path.iter().rposition(|&byte| byte != b'/') else { return Some(0..1) };
    let slash = path[..last].iter().rposition(|&byte| byte == b'/')?;
    match path[..slash].iter().rposition(|&byte| byte != b'/') {
        Some(end) => Some(0..end + 1),
        None => Some(0..1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRSIZE: i64 = 256;

    #[test]
    fn substrings() {
        for (text, start, count, expected) in [
            ("abcdefghijklmnop", 2, -10, "cdef"),
            ("abcde", -7, 3, "a"),
            ("abcde", -2, STRSIZE, "de"),
            ("abcde", -8, 3, ""),
            ("abcde", 5, STRSIZE, ""),
            ("abcde", -9, STRSIZE, "abcde"),
            ("abcde", -9, 4, ""),
            ("abcde", 1, -4, ""),
            ("abcde", 1, -3, "b"),
            ("abcde", -7, -1, ""),
            ("abcde", 0, 0, ""),
            ("", 0, 1, ""),
            ("abcde", i64::MIN, i64::MAX, "abcd"),
            ("abcde", i64::MAX, i64::MIN, ""),
            ("abcde", 2, i64::MAX, "cde"),
        ] {
            assert_eq!(
                &text[substr(text.len(), start, count)],
                expected,
                "substr({text:?}, {start}, {count})"
            );
        }
    }

    #[test]
    fn occurrences() {
        for (text, needle, from, expected) in [
            ("foobarbar", "bar", 0, Some(3)),
            ("foobarbar", "bar", 4, Some(6)),
            ("foobarbar", "bar", 7, None),
            ("foo", "x", 0, None),
            ("foo", "", 2, Some(2)),
            ("foo", "", 3, Some(3)),
            ("foo", "", 4, None),
            ("aab", "ab", 0, Some(1)),
            ("a", "ab", 0, None),
            ("abab", "abab", 0, Some(0)),
        ] {
            assert_eq!(find(text.as_bytes(), needle.as_bytes(), from), expected, "{needle:?} in {text:?}");
        }
    }

    #[test]
    fn last_occurrences() {
        for (text, needle, from, expected) in [
            ("foobarbar", "bar", usize::MAX, Some(6)),
            ("foobarbar", "bar", 6, Some(6)),
            ("foobarbar", "bar", 5, Some(3)),
            ("foobarbar", "bar", 2, None),
            ("foo", "x", usize::MAX, None),
            ("foo", "", usize::MAX, Some(3)),
            ("foo", "", 1, Some(1)),
            ("a", "ab", usize::MAX, None),
        ] {
            assert_eq!(
                find_last(text.as_bytes(), needle.as_bytes(), from),
                expected,
                "{needle:?} in {text:?}"
            );
        }
    }

    #[test]
    fn clean_paths() {
        for (path, expected) in [
            ("/a/./b//../c/", "/a/c"),
            ("a/../..", ".."),
            ("../..", "../.."),
            ("../a/..", ".."),
            ("z/a/b/../../././c///d/e", "z/c/d/e"),
            ("./", "."),
            ("/./.", "/"),
            ("/..", "/"),
            ("/../a", "/a"),
            ("a/..", "."),
            ("..", ".."),
            ("", ""),
            (".", "."),
            ("/", "/"),
            ("//", "/"),
        ] {
            assert_eq!(String::from_utf8_lossy(&cleanpath(path.as_bytes())), expected, "cleanpath({path:?})");
        }
    }

    #[test]
    fn tokens() {
        let mut tokens = Tokens::default();
        assert_eq!(tokens.start(b",,ab,cd;,", b","), Some(&b"ab"[..]));
        assert_eq!(tokens.next(b";"), Some(&b"cd"[..]), "other delimiters may follow");
        assert_eq!(tokens.next(b","), None);
        assert_eq!(tokens.next(b";"), None, "an exhausted string stays exhausted");
        assert_eq!(tokens.start(b",,", b","), None);
        assert_eq!(tokens.start(b"a,b", b""), Some(&b"a,b"[..]));
        assert_eq!(tokens.next(b""), None);
        assert_eq!(tokens.start(b"", b","), None);
    }

    #[test]
    fn path_components() {
        for (path, base, dir) in [
            ("/foo/bar/", "bar", "/foo"),
            ("foo", "foo", "."),
            ("/foo", "foo", "/"),
            ("/", "/", "/"),
            ("///", "/", "/"),
            ("", ".", "."),
            ("foo/", "foo", "."),
            ("a//b//", "b", "a"),
            ("//a", "a", "/"),
            ("a/b/c", "c", "a/b"),
        ] {
            let pick = |range: Option<Range<usize>>| range.map_or(".", |range| &path[range]);
            assert_eq!(pick(basename(path.as_bytes())), base, "basename({path:?})");
            assert_eq!(pick(dirname(path.as_bytes())), dir, "dirname({path:?})");
        }
    }
}
