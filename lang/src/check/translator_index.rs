//! Where translators are found by what they make and what they make it from. In: translators as they are defined. Out: those
//! that may do, in the order of their definitions; whoever asks looks at each, since types that are found alike may differ.

use std::collections::HashMap;

use super::translator::TranslatorId;
use crate::types::classes::Kin;
use crate::types::{TagKind, Type, TypeId, TypeTable, bare_tag};

/// What outputs that are the same have in common: kind and tag, without scope and number.
type Output = Option<(TagKind, String)>;

/// Pointers as written, and what is behind them.
type Written = (u32, Leaf);

/// What is no pointer, as written; one of the kernel's is so with and without its scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Leaf {
    Tagged(TagKind, String),
    Other(TypeId),
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct TranslatorIndex {
    by_output: HashMap<Output, Vec<TranslatorId>>,
    by_written: HashMap<(Output, Written), Vec<TranslatorId>>,
    by_kin: HashMap<(Output, Kin), Vec<TranslatorId>>,
}

impl TranslatorIndex {
    /// Takes note of a translator of these types.
    pub(super) fn add(&mut self, types: &TypeTable, output: TypeId, input: TypeId, id: TranslatorId) {
        let made = tag_of(types, output);
        self.by_written.entry((made.clone(), written(types, input))).or_default().push(id);
        self.by_kin.entry((made.clone(), types.kin(input))).or_default().push(id);
        self.by_output.entry(made).or_default().push(id);
    }

    /// Those that make a type.
    pub(super) fn making(&self, types: &TypeTable, output: TypeId) -> &[TranslatorId] {
        found(self.by_output.get(&tag_of(types, output)))
    }

    /// Those that make it from a type as it is written, pointers and scopes apart.
    pub(super) fn written_as(&self, types: &TypeTable, output: TypeId, input: TypeId) -> &[TranslatorId] {
        found(self.by_written.get(&(tag_of(types, output), written(types, input))))
    }

    /// Those that make it from the same type, whatever it is called.
    pub(super) fn akin(&self, types: &TypeTable, output: TypeId, input: TypeId) -> &[TranslatorId] {
        found(self.by_kin.get(&(tag_of(types, output), types.kin(input))))
    }
}

fn found(ids: Option<&Vec<TranslatorId>>) -> &[TranslatorId] {
    ids.map_or(&[], Vec::as_slice)
}

fn tag_of(types: &TypeTable, output: TypeId) -> Output {
    match types.resolve(output) {
        Type::Tagged(kind, tag) => Some((*kind, bare_tag(tag).unwrap_or("").to_owned())),
        _ => None,
    }
}

fn written(types: &TypeTable, input: TypeId) -> Written {
    let (mut depth, mut ty) = (0, input);
    while let Type::Pointer(target) = types.get(ty) {
        (depth, ty) = (depth + 1, *target);
    }
    let leaf = match types.get(ty) {
        Type::Tagged(kind, tag) if let Some(tag) = bare_tag(tag) => Leaf::Tagged(*kind, tag.to_owned()),
        _ => Leaf::Other(ty),
    };
    (depth, leaf)
}
