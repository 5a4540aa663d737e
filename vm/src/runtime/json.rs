//! What stands at a path of a JSON text (`json`, runtime spec §8.1). Two texts in, a part of the first out; nothing is
//! decoded. Texts nest as deep as they like: brackets are counted, not followed.

/// The value at a path such as `a.b[2].c`: a string without its quotes, everything else as it is written. `None` if the
/// path does not exist or the text is malformed before it is found.
pub(super) fn find<'t>(text: &'t [u8], path: &[u8]) -> Option<&'t [u8]> {
    let mut rest = text;
    let mut path = path;
    let mut first = true;
    while !path.is_empty() {
        rest = match path {
            [b'[', after @ ..] => {
                let end = after.iter().position(|&b| b == b']')?;
                path = &after[end + 1..];
                element(skip_blanks(rest), number(&after[..end])?)?
            }
            [b'.', after @ ..] if !first => {
                let end = name_end(after);
                let name = &after[..end];
                path = &after[end..];
                member(skip_blanks(rest), name)?
            }
            name_first if first => {
                let end = name_end(name_first);
                path = &name_first[end..];
                member(skip_blanks(rest), &name_first[..end])?
            }
            _ => return None,
        };
        first = false;
    }
    let rest = skip_blanks(rest);
    let value = &rest[..value_end(rest)?];
    Some(match value {
        [b'"', inner @ .., b'"'] => inner,
        value => value,
    })
}

fn name_end(path: &[u8]) -> usize {
    path.iter().position(|b| matches!(b, b'.' | b'[')).unwrap_or(path.len())
}

fn number(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok().filter(|d| d.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()
}

fn skip_blanks(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|b| !matches!(b, b' ' | b'\t' | b'\n' | b'\r')).unwrap_or(text.len());
    &text[end..]
}

/// Behind a byte that must come next, blanks skipped.
fn behind(text: &[u8], byte: u8) -> Option<&[u8]> {
    skip_blanks(text).strip_prefix(&[byte])
}

/// Where an object's member begins.
fn member<'t>(object: &'t [u8], name: &[u8]) -> Option<&'t [u8]> {
    let mut rest = behind(object, b'{')?;
    loop {
        let key = skip_blanks(rest);
        let end = string_end(key)?;
        let value = skip_blanks(behind(&key[end..], b':')?);
        if &key[1..end - 1] == name {
            return Some(value);
        }
        rest = behind(&value[value_end(value)?..], b',')?;
    }
}

/// Where an array's element begins.
fn element(array: &[u8], index: usize) -> Option<&[u8]> {
    let mut rest = skip_blanks(behind(array, b'[')?);
    for _ in 0..index {
        rest = skip_blanks(behind(&rest[value_end(rest)?..], b',')?);
    }
    (!rest.starts_with(b"]")).then_some(rest)
}

/// Bytes of the string that a text begins with, its quotes included.
fn string_end(text: &[u8]) -> Option<usize> {
    let mut bytes = text.iter().enumerate();
    let (_, b'"') = bytes.next()? else { return None };
    let mut escaped = false;
    for (i, &byte) in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(i + 1),
            _ => {}
        }
    }
    None
}

/// Bytes of the value that a text begins with.
fn value_end(text: &[u8]) -> Option<usize> {
    match *text.first()? {
        b'"' => string_end(text),
        b'{' | b'[' => brackets_end(text),
        b'-' | b'0'..=b'9' => Some(
            text.iter()
                .position(|b| !matches!(b, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'))
                .unwrap_or(text.len()),
        ),
        _ => {
            [&b"true"[..], b"false", b"null"].into_iter().find(|word| text.starts_with(word)).map(<[u8]>::len)
        }
    }
}

/// Bytes of the object or array that a text begins with: up to the bracket that closes the first.
fn brackets_end(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += match byte {
            b'"' => string_end(&text[at..])?,
            _ => 1,
        };
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, path: &str, expect: Option<&str>) {
        let found = find(text.as_bytes(), path.as_bytes()).map(|v| String::from_utf8_lossy(v).into_owned());
        assert_eq!(found.as_deref(), expect, "{text} at {path}");
    }

    #[test]
    fn paths() {
        check(r#"{"a":{"b":[10,"x"]}}"#, "a.b[1]", Some("x"));
        check(r#"{"a":{"b":[10,"x"]}}"#, "a.b[0]", Some("10"));
        check(r#"{"a":{"b":[10,"x"]}}"#, "a.b[2]", None);
        check(r#"{"a":{"b":[10,"x"]}}"#, "a.b", Some(r#"[10,"x"]"#));
        check(r#"{"a":{"b":[10,"x"]}}"#, "a", Some(r#"{"b":[10,"x"]}"#));
        check(r#" { "a" : 1 , "b" : true } "#, "b", Some("true"));
        check("{}", "z", None);
        check("[]", "[0]", None);
        check("[[1, 2], [3]]", "[1][0]", Some("3"));
        check(r#"{"a":"x\"y\\"}"#, "a", Some(r#"x\"y\\"#));
        check(r#"{"a.b":1}"#, "a.b", None);
        check(r#"[{"n":null},{"n":-1.5e3}]"#, "[1].n", Some("-1.5e3"));
    }

    #[test]
    fn malformed_texts() {
        for (text, path) in [
            ("", "a"),
            ("{", "a"),
            (r#"{"a""#, "a"),
            (r#"{"a":}"#, "a"),
            (r#"{"a":1"#, "b"),
            (r#"{"a":[1,2}"#, "a[5]"),
            (r#"{a:1}"#, "a"),
            (r#"{"a":"x}"#, "a"),
            (r#"{"a":1}"#, "a["),
            (r#"{"a":1}"#, "a[x]"),
            (r#"{"a":1}"#, "[0"),
            ("]", "[0]"),
        ] {
            check(text, path, None);
        }
        // What comes after the value does not matter.
        check(r#"{"a":1,"#, "a", Some("1"));
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(find(deep.as_bytes(), b"a").map(<[u8]>::len), Some(200_001));
    }
}
