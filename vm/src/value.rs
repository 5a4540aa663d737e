//! Values that leave the virtual machine: record arguments, keys, variables at rest.

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
        match self {
            Value::Int(v) => *v,
            Value::Str(_) => 0,
        }
    }

    /// The bytes; empty for NULL and for an integer.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Value::Str(Some(b)) => b,
            _ => &[],
        }
    }
}
