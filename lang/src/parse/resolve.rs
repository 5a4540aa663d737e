//! Is a word the name of a type where it stands? The answer of the type environment in, by the rules of language spec
//! §2.7 and §3.6; for the neutral nodes of the grammar, a decision out.
//!
//! The grammar knows words only. Where a word can be read either way its tree is neutral, and whoever builds the tree of
//! the program asks here. What a program has declared and used so far is kept here too, since a variable hides a type of
//! its name from then on.

use std::collections::{HashMap, HashSet};

use super::scan::{Class, Item as Prepared};
use super::words::{Names, PREDEFINED_TYPES, is_space};
use crate::ast::{self, LeftOut, Storage};
use crate::builtins::{self, elsewhere};
use crate::check::suggest;
use crate::options::Libraries;
use crate::parse::macros::MacroToken;

/// What a program has said of its words so far.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// Used as identifiers (rule 6), or declared as globals (rule 5).
    identifiers: HashSet<String>,
    /// Those of them that the present item was the first to use.
    fresh: Vec<String>,
    /// Defined as types.
    types: HashSet<String>,
    /// What the libraries would define that the session leaves out.
    libraries: Vec<&'static str>,
    /// The types that the library defines for a program that names one.
    offered: Vec<&'static str>,
}

/// What words mean at a place of the program.
pub(super) struct Scope<'a> {
    /// What was known before the program: predefined types, those of earlier programs and of the kernel, and globals.
    pub(super) names: &'a dyn Names,
    /// What the program has added.
    pub(super) declared: &'a mut Declared,
}

/// What a word is, and what makes it so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The name of a type.
    Type,
    /// A variable, function or inline that is known (rule 5).
    Known,
    /// Nothing that is known: an identifier (rule 8).
    Other,
}

impl Declared {
    /// What a program knows whose headers define types that D cannot say: they are types all the same.
    pub(super) fn of_headers(left_out: &[LeftOut], libraries: &Libraries) -> Declared {
        let typedefs = left_out.iter().filter(|it| it.kind.is_none());
        Declared {
            types: typedefs.map(|it| it.name.clone()).collect(),
            libraries: libraries.left_out.clone(),
            offered: libraries.offered.iter().copied().filter(|name| name.ends_with("_t")).collect(),
            ..Declared::default()
        }
    }
}

impl Scope<'_> {
    /// Whether a type of this name is visible, hidden by a variable or not.
    pub(super) fn is_type(&self, word: &str) -> bool {
        self.declared.types.contains(word) || self.names.is_type(word)
    }

    /// What to know of a word that should name a type and does not.
    pub(super) fn no_type(&self, word: &str) -> Option<String> {
        match self.declared.libraries.contains(&word) {
            true => Some(builtins::of_a_library(word, "type")),
            false => elsewhere::of_type(word).or_else(|| {
                let own = self.declared.types.iter().map(String::as_str);
                let offered = self.declared.offered.iter().copied();
                let near = suggest::nearest(word, PREDEFINED_TYPES.iter().copied().chain(own).chain(offered));
                let near = near.map(str::to_owned).or_else(|| self.names.near_type(word))?;
                Some(format!("did you mean {near}?"))
            }),
        }
    }

    /// What a word means where it can be either: rules 5, 7 and 8.
    pub(super) fn meaning(&self, word: &str) -> Meaning {
        if self.declared.identifiers.contains(word) || self.names.is_global(word) {
            return Meaning::Known;
        }
        // The machine's types are asked last: that costs a look-up.
        if self.is_type(word) { Meaning::Type } else { Meaning::Other }
    }

    /// Takes note of a word that the program uses as an identifier.
    pub(super) fn uses(&mut self, word: &str) {
        if !self.declared.identifiers.contains(word) {
            self.declared.identifiers.insert(word.to_string());
            self.declared.fresh.push(word.to_string());
        }
    }

    /// Begins an item.
    pub(super) fn begins(&mut self) {
        self.declared.fresh.clear();
    }

    /// Forgets what the present item has used, since it is read once more.
    pub(super) fn begins_again(&mut self) {
        for word in self.declared.fresh.drain(..) {
            self.declared.identifiers.remove(&word);
        }
    }

    /// Takes note of the names that an item declares, for the words that come after it.
    pub(super) fn declares(&mut self, item: &ast::Item) {
        let declared = &mut self.declared;
        if let ast::Item::Inline(inline) = item {
            declared.identifiers.extend(inline.declarator.name.iter().map(|name| name.name.clone()));
        }
        let ast::Item::Declaration(declaration) = item else { return };
        let names = declaration.declarators.iter().filter_map(|declarator| declarator.name.as_ref());
        match declaration.storage {
            Some(Storage::Typedef) => {
                for name in names {
                    declared.identifiers.remove(&name.name);
                    declared.types.insert(name.name.clone());
                }
            }
            None => declared.identifiers.extend(names.map(|name| name.name.clone())),
            Some(_) => {}
        }
    }
}

/// Whether what follows a word makes it an identifier (rule 6). `after` is the source from the word's end on, `comma`
/// whether a comma does too, since no parenthesis is open.
pub(super) fn used_as_identifier(after: &str, comma: bool) -> bool {
    let after = after.as_bytes();
    let blanks = after.iter().take_while(|&&b| is_space(b)).count();
    match &after[blanks..] {
        [b'+', b'+', ..] | [b'-', b'-', ..] | [b'[' | b';', ..] => true,
        [b'=', rest @ ..] => rest.first() != Some(&b'='),
        [b',', ..] => comma,
        _ => false,
    }
}

/// The answers for all words of one item, for a thread that cannot ask.
pub(super) struct Answers(HashMap<String, (bool, bool)>);

impl Answers {
    /// Asks for all words of an item.
    pub(super) fn of(item: &Prepared, text: &str, names: &dyn Names) -> Answers {
        let mut answers = HashMap::new();
        let mut ask = |word: &str| {
            if !answers.contains_key(word) {
                answers.insert(word.to_string(), (names.is_type(word), names.is_global(word)));
            }
        };
        let prepared = item.text.as_bytes();
        for (at, _) in prepared.iter().enumerate().filter(|&(_, &b)| b == Class::Name as u8) {
            let len = 1 + prepared[at + 1..].iter().take_while(|&&b| b == b'_').count();
            ask(&text[item.start + at..item.start + at + len]);
        }
        for (_, token) in &item.macros {
            if let MacroToken::Word(word) = token {
                ask(word);
            }
        }
        Answers(answers)
    }
}

impl Names for Answers {
    fn is_type(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|answer| answer.0)
    }

    fn is_global(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|answer| answer.1)
    }
}
