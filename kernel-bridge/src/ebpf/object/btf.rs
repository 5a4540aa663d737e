//! The few BTF types that define maps: a definition is a structure of pointers whose target types carry the numbers.

/// The type `int`.
pub(super) const INT: u32 = 1;
/// The type `unsigned long long`.
const WORD: u32 = 2;

/// Kinds, as the format numbers them.
mod kind {
    pub(super) const INT: u32 = 1;
    pub(super) const PTR: u32 = 2;
    pub(super) const ARRAY: u32 = 3;
    pub(super) const STRUCT: u32 = 4;
    pub(super) const VAR: u32 = 14;
    pub(super) const DATASEC: u32 = 15;
}

/// The encoding of a signed integer.
const SIGNED: u32 = 1 << 24;
/// The linkage of a global variable.
const GLOBAL: u32 = 1;

/// Types under construction.
pub(super) struct Types {
    types: Vec<u32>,
    count: u32,
    names: Vec<u8>,
}

impl Types {
    /// With `int` and the word.
    pub(super) fn new() -> Types {
        let mut types = Types { types: Vec::new(), count: 0, names: vec![0] };
        types.add("int", kind::INT, 0, 4, &[SIGNED | 32]);
        types.add("unsigned long long", kind::INT, 0, 8, &[64]);
        types
    }

    fn name(&mut self, name: &str) -> u32 {
        if name.is_empty() {
            return 0;
        }
        let at = self.names.len() as u32;
        self.names.extend_from_slice(name.as_bytes());
        self.names.push(0);
        at
    }

    fn add(&mut self, name: &str, kind: u32, members: u32, size_or_type: u32, rest: &[u32]) -> u32 {
        let name = self.name(name);
        self.types.extend([name, kind << 24 | members, size_or_type]);
        self.types.extend(rest);
        self.count += 1;
        self.count
    }

    /// A pointer.
    pub(super) fn pointer(&mut self, to: u32) -> u32 {
        self.add("", kind::PTR, 0, to, &[])
    }

    /// How a definition says a number: a pointer to an array of so many.
    pub(super) fn number(&mut self, number: u32) -> u32 {
        let array = self.add("", kind::ARRAY, 0, 0, &[INT, INT, number]);
        self.pointer(array)
    }

    /// An array of words.
    pub(super) fn words(&mut self, count: u32) -> u32 {
        self.add("", kind::ARRAY, 0, 0, &[WORD, INT, count])
    }

    /// A structure of pointers.
    pub(super) fn structure(&mut self, members: &[(&str, u32)]) -> u32 {
        let mut rest = Vec::with_capacity(3 * members.len());
        for (i, &(name, ty)) in members.iter().enumerate() {
            rest.extend([self.name(name), ty, 64 * i as u32]);
        }
        self.add("", kind::STRUCT, members.len() as u32, 8 * members.len() as u32, &rest)
    }

    /// A global variable.
    pub(super) fn variable(&mut self, name: &str, ty: u32) -> u32 {
        self.add(name, kind::VAR, 0, ty, &[GLOBAL])
    }

    /// A section of variables: type, offset, size of each.
    pub(super) fn data_section(&mut self, name: &str, variables: &[(u32, u32, u32)]) {
        let rest: Vec<u32> = variables.iter().flat_map(|&(ty, at, size)| [ty, at, size]).collect();
        let size = variables.iter().map(|v| v.2).sum();
        self.add(name, kind::DATASEC, variables.len() as u32, size, &rest);
    }

    /// The section's bytes.
    pub(super) fn finish(self) -> Vec<u8> {
        let types = 4 * self.types.len() as u32;
        // Magic, version 1, no flags; then the header's length and where types and names lie after it.
        let header = [0x0001_eb9f, 24, 0, types, types, self.names.len() as u32];
        let mut bytes: Vec<u8> = header.iter().chain(&self.types).flat_map(|w| w.to_le_bytes()).collect();
        bytes.extend_from_slice(&self.names);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_numbered_from_one_and_names_shared_by_offset() {
        let mut types = Types::new();
        let number = types.number(7);
        assert_eq!(number, 4, "after int, the word and the array");
        let bytes = types.finish();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!([word(0), word(4), word(8)], [0x0001_eb9f, 24, 0]);
        // int and the word take 16 bytes each, the array 24.
        assert_eq!([word(24 + 32), word(24 + 36), word(24 + 52)], [0, 3 << 24, 7]);
        assert_eq!([word(24 + 56 + 4), word(24 + 56 + 8)], [2 << 24, 3]);
        assert_eq!(&bytes[24 + 68..], b"\0int\0unsigned long long\0");
    }
}
