//! Hexadecimal dumps (runtime spec §3): bytes in, a ruler and lines of sixteen out.

use std::io::Write as _;

/// The bytes that `tracemem` shows of those it has recorded: all, if the limit is negative or no less.
pub fn limited(bytes: &[u8], limit: i64) -> &[u8] {
    usize::try_from(limit).ok().and_then(|limit| bytes.get(..limit)).unwrap_or(bytes)
}

/// Appends the dump of some bytes; nothing for none.
pub fn dump(out: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    out.extend_from_slice(b"\n           ");
    for digit in b"0123456789abcdef" {
        out.extend_from_slice(&[b' ', b' ', *digit]);
    }
    out.extend_from_slice(b"  0123456789abcdef\n");
    for (i, line) in bytes.chunks(16).enumerate() {
        // Writing to a vector cannot fail.
        let _ = write!(out, "     {:5x}:", i * 16);
        for byte in line {
            let _ = write!(out, " {byte:02x}");
        }
        out.resize(out.len() + 3 * (16 - line.len()) + 2, b' ');
        out.extend(line.iter().map(|&byte| if matches!(byte, b' '..=b'~') { byte } else { b'.' }));
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expect: &str) {
        let mut out = Vec::new();
        dump(&mut out, bytes);
        assert_eq!(String::from_utf8_lossy(&out), expect);
    }

    #[test]
    fn lines_of_sixteen() {
        check(b"", "");
        check(
            b"Hi!\0\x01\x02\x03\x04",
            "\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n         0: 48 69 21 00 01 02 03 04                          Hi!.....\n",
        );
        check(
            b"ABCDEFGHIJKLMNOPQ\x7f",
            "\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n         0: 41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f 50  ABCDEFGHIJKLMNOP\n        10: 51 7f                                            Q.\n",
        );
    }
}
