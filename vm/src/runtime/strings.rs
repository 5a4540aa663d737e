//! The bounded string subroutines (runtime spec §8, §8.1) on bytes: what they pick of their arguments, as ranges, so that
//! most results share the bytes of an argument. No string here holds a NUL.

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
