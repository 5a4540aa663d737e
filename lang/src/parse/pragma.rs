//! `#pragma D attributes`, `binding` and `depends_on` (language spec §2.12): checked for form here, and for names that
//! are never defined at the end of the program.

use std::collections::HashSet;

use super::control::{Token, TokenKind};
use super::words::Names;
use crate::ast::{Ident, Item, Pragma};
use crate::diag::{Diagnostic, Tag};
use crate::env::{Environment, ProbePattern, is_glob};
use crate::source::{SourceId, SourceKind, Span};
use crate::stability::{self, PARTS, Version};

/// Where the control line stands.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The text.
    pub(super) source: SourceId,
    /// The `#`.
    pub(super) line_start: usize,
    /// The line's length without its newline.
    pub(super) line_len: usize,
}

impl Place {
    fn span(self, start: usize, end: usize) -> Span {
        let base = self.line_start;
        Span { source: self.source, start: (base + start) as u32, end: (base + end) as u32 }
    }

    fn ident(self, token: &Token<'_>) -> Ident {
        Ident { name: token.text.to_string(), span: self.span(token.start, token.end) }
    }
}

/// Checks one line and turns it into its node.
pub(super) fn check(
    word: Token<'_>,
    args: &[Token<'_>],
    place: Place,
    kind: SourceKind,
    env: &dyn Environment,
) -> Result<Pragma, Diagnostic> {
    let whole = place.span(0, place.line_len);
    let refuse = |tag, message: String| Err(Diagnostic::new(tag, whole, message));
    let is_word = |token: &Token<'_>| token.kind == TokenKind::Word;
    match word.text {
        "attributes" => {
            let form = match args {
                [triple, name] => is_word(triple) && is_word(name),
                [triple, provider, name, part] => {
                    is_word(triple) && provider.text == "provider" && is_word(name) && is_word(part)
                }
                _ => false,
            };
            if !form {
                return refuse(
                    Tag::PragmaMalform,
                    "malformed #pragma attributes <attributes> <ident>".to_string(),
                );
            }
            if stability::parse(args[0].text).is_none() {
                return refuse(
                    Tag::PragmaInval,
                    "invalid attributes specified by #pragma attributes".to_string(),
                );
            }
            if let Some(part) = args.get(3)
                && !PARTS.contains(&part.text)
            {
                return refuse(
                    Tag::PragmaInval,
                    format!("invalid component {} specified by #pragma attributes", part.text),
                );
            }
        }
        "binding" => {
            let [version, name] = args else {
                return refuse(
                    Tag::PragmaMalform,
                    "malformed #pragma binding \"version\" <ident>".to_string(),
                );
            };
            if version.kind != TokenKind::String || !is_word(name) {
                return refuse(
                    Tag::PragmaMalform,
                    "malformed #pragma binding \"version\" <ident>".to_string(),
                );
            }
            if Version::parse(version.text).is_none() {
                return refuse(Tag::PragmaInval, "invalid version specified by #pragma binding".to_string());
            }
        }
        _ => {
            let [class, name] = args else {
                return refuse(Tag::PragmaMalform, "malformed #pragma depends_on <class> <name>".to_string());
            };
            if !is_word(class) || !is_word(name) {
                return refuse(Tag::PragmaMalform, "malformed #pragma depends_on <class> <name>".to_string());
            }
            depends_on(class.text, name.text, kind, env)
                .map_err(|(tag, message)| Diagnostic::new(tag, whole, message))?;
        }
    }
    Ok(Pragma { word: place.ident(&word), args: args.iter().map(|a| place.ident(a)).collect(), span: whole })
}

fn depends_on(class: &str, name: &str, kind: SourceKind, env: &dyn Environment) -> Result<(), (Tag, String)> {
    // Whether a library file may be left out is for whoever orders the libraries to say.
    if kind == SourceKind::Library && matches!(class, "module" | "provider" | "library") {
        return Ok(());
    }
    let pattern = match class {
        "module" => ProbePattern { module: name.to_string(), ..ProbePattern::default() },
        "provider" => ProbePattern { provider: name.to_string(), ..ProbePattern::default() },
        "library" => {
            return Err((
                Tag::PragmaDepend,
                "main program may not explicitly depend on a library".to_string(),
            ));
        }
        _ => {
            return Err((Tag::PragmaInval, format!("invalid class {class} specified by #pragma depends_on")));
        }
    };
    match env.match_probes(&pattern) {
        // One object, not those that a pattern matches.
        Ok(probes) if !probes.is_empty() && !is_glob(name) => Ok(()),
        _ => Err((Tag::PragmaDepend, format!("program requires {class} {name}"))),
    }
}

/// The error for attributes or a binding of a name that this program does not declare.
pub(super) fn unused(items: &[Item], names: &dyn Names, env: &dyn Environment) -> Option<Diagnostic> {
    let mut declared: HashSet<&str> = HashSet::new();
    let mut providers: HashSet<&str> = HashSet::new();
    for item in items {
        match item {
            Item::Declaration(declaration) => {
                let names = declaration.declarators.iter().filter_map(|declarator| declarator.name.as_ref());
                declared.extend(names.map(|name| name.name.as_str()));
            }
            Item::Inline(inline) => {
                declared.extend(inline.declarator.name.as_ref().map(|name| name.name.as_str()));
            }
            Item::Translator(_) => drop(declared.insert("translator")),
            Item::Provider(provider) => drop(providers.insert(&provider.name.name)),
            Item::Clause(_) | Item::Pragma(_) => {}
        }
    }
    for item in items {
        let Item::Pragma(pragma) = item else { continue };
        let word = pragma.word.name.as_str();
        if word == "depends_on" {
            continue;
        }
        let refuse =
            |tag, message: &str| Some(Diagnostic::new(tag, pragma.span, format!("{message} #pragma {word}")));
        let name = match pragma.args.as_slice() {
            [_, _, provider, _] if providers.contains(provider.name.as_str()) => continue,
            [_, _, provider, _] => {
                let pattern = ProbePattern { provider: provider.name.clone(), ..ProbePattern::default() };
                match env.match_probes(&pattern) {
                    Ok(probes) if !probes.is_empty() => continue,
                    _ => return refuse(Tag::PragmaUnused, "unused"),
                }
            }
            [_, name, ..] => name.name.as_str(),
            _ => continue,
        };
        if declared.contains(name) {
            continue;
        }
        if names.is_global(name) {
            let message = format!("{name} is defined outside the program, out of scope of");
            return refuse(Tag::PragmaScope, &message);
        }
        return refuse(Tag::PragmaUnused, "unused");
    }
    None
}
