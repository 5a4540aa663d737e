//! Probe descriptions (language spec §4.1, §4.3, §2.13): the text of a clause's description in, four components with
//! macros expanded out. Matches nothing: that is the environment's.

use super::macros::{self, MacroToken, Macros};
use crate::ast::ProbeDesc;
use crate::bytes;
use crate::diag::{Diagnostic, Tag};
use crate::env::{ProbeId, ProbePattern};
use crate::source::SourceKind;

/// What a description names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The probes that match a pattern.
    Pattern(ProbePattern),
    /// One probe by its number, which exists.
    Id(ProbeId),
}

/// Most bytes of provider, module, function and name.
const LIMITS: [usize; 4] = [63, 63, 127, 63];

/// Expands one description of a clause whose text an option of this kind gave.
pub fn expand(desc: &ProbeDesc, kind: SourceKind, macros: &Macros<'_>) -> Result<Target, Diagnostic> {
    if desc.numeric || kind == SourceKind::Id {
        return by_number(desc, kind, macros);
    }
    let invalid = |reason: &str| {
        let message = format!("invalid probe description \"{}\": {reason}", desc.text);
        Diagnostic::new(Tag::PdescInval, desc.span, message)
    };
    // How many components the option's rightmost one has to its left, itself included.
    let most = match kind {
        SourceKind::Provider => 1,
        SourceKind::Module => 2,
        SourceKind::Function => 3,
        _ => 4,
    };
    let given: Vec<&str> = desc.text.split(':').collect();
    if given.len() > most {
        return Err(invalid("Overspecified probe description"));
    }
    let mut parts: [String; 4] = Default::default();
    for (i, component) in given.iter().enumerate() {
        let slot = most - given.len() + i;
        let text = component_text(component, macros).map_err(|reason| invalid(&reason))?;
        if text.len() > LIMITS[slot] {
            return Err(invalid(&format!(
                "Probe description component is longer than {} bytes",
                LIMITS[slot]
            )));
        }
        parts[slot] = text;
    }
    let [provider, module, function, name] = parts;
    Ok(Target::Pattern(ProbePattern { provider, module, function, name }))
}

fn by_number(desc: &ProbeDesc, kind: SourceKind, macros: &Macros<'_>) -> Result<Target, Diagnostic> {
    let invalid = |message: String| Err(Diagnostic::new(Tag::PdescInval, desc.span, message));
    let unknown = || format!("invalid probe identifier {}: Unknown probe identifier", desc.text);
    let what = match kind {
        SourceKind::Provider => Some("providers"),
        SourceKind::Module => Some("modules"),
        SourceKind::Function => Some("functions"),
        _ => None,
    };
    if let Some(what) = what {
        return invalid(format!("probe identifier {} not permitted when specifying {what}", desc.text));
    }
    if !desc.numeric {
        return invalid(format!("invalid probe identifier {}: not a number", desc.text));
    }
    let (_, value) = super::literal::integer(desc.text.as_bytes());
    let id = value.ok().and_then(|lit| u32::try_from(lit.value).ok()).map(ProbeId);
    match id.filter(|id| macros.env.probe_by_id(*id).is_some()) {
        Some(id) => Ok(Target::Id(id)),
        None => invalid(unknown()),
    }
}

/// Expands the first macro of a component; a second is literal text. Text may follow a numeric macro only.
fn component_text(component: &str, macros: &Macros<'_>) -> Result<String, String> {
    let Some(at) = component.find('$') else { return Ok(component.to_string()) };
    let (before, rest) = component.split_at(at);
    let reference = macros::read(rest);
    let after = &rest[reference.len..];
    if let Some(number) = reference.number() {
        let Some(text) = macros.args.get(number as usize) else {
            return Err(format!("Undefined macro ${number} in probe description"));
        };
        return Ok(format!("{before}{text}{after}"));
    }
    let value = match macros::token(reference, macros, false) {
        Ok(MacroToken::Int(lit, negative)) if after.is_empty() => {
            if negative {
                format!("-{}", lit.value)
            } else {
                lit.value.to_string()
            }
        }
        Ok(MacroToken::Str(bytes)) if after.is_empty() => bytes::to_text(&bytes),
        _ => return Err(format!("Undefined macro {rest} in probe description")),
    };
    Ok(format!("{before}{value}"))
}
