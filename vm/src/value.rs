//! Values that leave the virtual machine: record arguments, keys, variables at rest; and the canonical bytes of a key,
//! under which one entry is found however it was written.

use dtrail_lang::ir::ValueType;

/// A value of a D expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// An integer or address, extended to 64 bits by its own sign.
    Int(i64),
    /// A string without NULs; `None` is NULL.
    Str(Option<Box<[u8]>>),
}

impl Value {
    /// The integer; 0 for a string, which the verifier excludes.
    pub fn int(&self) -> i64 {
        self.as_ref().int()
    }

    /// The bytes; empty for NULL and for an integer.
    pub fn bytes(&self) -> &[u8] {
        self.as_ref().bytes()
    }

    /// The same, borrowed.
    pub fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Value::Int(value) => ValueRef::Int(*value),
            Value::Str(value) => ValueRef::Str(value.as_deref()),
        }
    }
}

/// A borrowed [`Value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueRef<'a> {
    /// See [`Value::Int`].
    Int(i64),
    /// See [`Value::Str`].
    Str(Option<&'a [u8]>),
}

impl<'a> ValueRef<'a> {
    /// See [`Value::int`].
    pub fn int(self) -> i64 {
        match self {
            ValueRef::Int(value) => value,
            ValueRef::Str(_) => 0,
        }
    }

    /// See [`Value::bytes`].
    pub fn bytes(self) -> &'a [u8] {
        match self {
            ValueRef::Str(Some(bytes)) => bytes,
            _ => &[],
        }
    }

    /// A copy that owns its bytes.
    pub fn to_value(self) -> Value {
        match self {
            ValueRef::Int(value) => Value::Int(value),
            ValueRef::Str(value) => Value::Str(value.map(Box::from)),
        }
    }

    /// Appends the canonical bytes of this key element: 8 bytes of an integer; 4 bytes of length + 1 (0: NULL) and the
    /// bytes of a string. The types of a key are fixed, so no two keys share their bytes.
    pub fn encode(self, out: &mut Vec<u8>) {
        match self {
            ValueRef::Int(value) => out.extend_from_slice(&value.to_le_bytes()),
            ValueRef::Str(None) => out.extend_from_slice(&0_u32.to_le_bytes()),
            ValueRef::Str(Some(bytes)) => {
                out.extend_from_slice(&(bytes.len() as u32 + 1).to_le_bytes());
                out.extend_from_slice(bytes);
            }
        }
    }
}

/// The elements of a canonical key. Ends early if the bytes do not hold what the types say.
pub fn decode<'a>(key: &'a [u8], types: &'a [ValueType]) -> impl Iterator<Item = ValueRef<'a>> + Clone {
    let mut rest = key;
    types.iter().map_while(move |ty| match ty {
        ValueType::Str | ValueType::Bytes(_) | ValueType::Float(_) => {
            let (length, tail) = rest.split_first_chunk()?;
            rest = tail;
            let Some(length) = u32::from_le_bytes(*length).checked_sub(1) else {
                return Some(ValueRef::Str(None));
            };
            let (bytes, tail) = rest.split_at_checked(length as usize)?;
            rest = tail;
            Some(ValueRef::Str(Some(bytes)))
        }
        ValueType::Int { .. } | ValueType::Pointer | ValueType::Symbolic(_) => {
            let (word, tail) = rest.split_first_chunk()?;
            rest = tail;
            Some(ValueRef::Int(i64::from_le_bytes(*word)))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_decodes_to_what_was_encoded() {
        let int = ValueType::Int { bits: 32, signed: true };
        let types = [int, ValueType::Str, ValueType::Str, ValueType::Pointer, ValueType::Str];
        let key = [
            ValueRef::Int(-1),
            ValueRef::Str(Some(b"read")),
            ValueRef::Str(None),
            ValueRef::Int(i64::MIN),
            ValueRef::Str(Some(b"")),
        ];
        let mut bytes = Vec::new();
        key.iter().for_each(|part| part.encode(&mut bytes));
        assert_eq!(bytes.len(), 8 + 8 + 4 + 8 + 4);
        assert_eq!(decode(&bytes, &types).collect::<Vec<_>>(), key);
        assert_eq!(decode(&bytes[..9], &types).collect::<Vec<_>>(), key[..1]);
    }
}
