//! The values of options (language spec §14.1): a text in, a number, a size, a rate, a version or a yes or no out.

use super::{OptionError, Shape};
use crate::builtins::rates::{Bare, parse_rate};
use crate::stability::{self, Version};

pub(super) fn check_shape(shape: Shape, value: Option<&str>) -> Result<(), OptionError> {
    match shape {
        Shape::Flag if value.is_some() => Err(OptionError::InvalidValue),
        Shape::Flag => Ok(()),
        Shape::Bool => boolean(value).map(drop),
        Shape::Number => number(required(value)?).map(drop),
        Shape::Size => size(required(value)?).map(drop),
        Shape::Limit if value == Some("unlimited") => Ok(()),
        Shape::Limit => size(required(value)?).map(drop),
        Shape::Text => required(value).map(drop),
    }
}

pub(super) fn required(value: Option<&str>) -> Result<&str, OptionError> {
    value.filter(|v| !v.is_empty()).ok_or(OptionError::InvalidValue)
}

pub(super) fn within(value: u64, low: u32, high: u32) -> Result<u32, OptionError> {
    u32::try_from(value).ok().filter(|v| (low..=high).contains(v)).ok_or(OptionError::InvalidValue)
}

pub(super) fn version(text: &str) -> Result<Version, OptionError> {
    let version = Version::parse(text).ok_or(OptionError::InvalidValue)?;
    stability::VERSIONS.contains(&version).then_some(version).ok_or(OptionError::UnknownVersion)
}

/// C notation: decimal, `0x…` or `0…`.
pub(super) fn number(text: &str) -> Result<u64, OptionError> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => (hex, 16),
        None if text.len() > 1 && text.starts_with('0') => (&text[1..], 8),
        None => (text, 10),
    };
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_alphanumeric());
    plain.then(|| u64::from_str_radix(digits, radix).ok()).flatten().ok_or(OptionError::InvalidValue)
}

/// A number with an optional suffix, powers of 1024.
pub(super) fn size(text: &str) -> Result<u64, OptionError> {
    let shift = match text.bytes().last().map(|b| b.to_ascii_lowercase()) {
        Some(b'k') => 10,
        Some(b'm') => 20,
        Some(b'g') => 30,
        Some(b't') => 40,
        _ => return number(text),
    };
    number(&text[..text.len() - 1])?.checked_mul(1 << shift).ok_or(OptionError::InvalidValue)
}

/// Nanoseconds between two moments; `0hz` is 0.
pub(super) fn rate(text: &str) -> Result<u64, OptionError> {
    if text.eq_ignore_ascii_case("0hz") {
        return Ok(0);
    }
    parse_rate(text, Bare::Nanoseconds).ok_or(OptionError::InvalidValue)
}

pub(super) fn boolean(value: Option<&str>) -> Result<bool, OptionError> {
    const ON: &[&str] = &["yes", "on", "true", "enable", "enabled", "set"];
    const OFF: &[&str] = &["no", "off", "false", "disable", "disabled", "unset"];
    let Some(text) = value else { return Ok(true) };
    let among = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    match (among(ON), among(OFF)) {
        (true, _) => Ok(true),
        (_, true) => Ok(false),
        _ => number(text).map(|n| n != 0),
    }
}
