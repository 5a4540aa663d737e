//! What headers say of layouts, beside the text: a node of the tree in, the same with its layout out.

use super::Builder;
use crate::ast::{Declarator, Layout, TypeSpecs};
use crate::parse::headers::Where;
use crate::source::Span;

impl Builder<'_, '_> {
    /// The layout of the struct or union at a place.
    pub(super) fn layout_of(&self, definition: Span) -> Layout {
        let at = definition.start as usize;
        let here =
            self.item.layouts.iter().filter(|noted| noted.at == at && noted.place == Where::Definition);
        here.fold(Layout::default(), |layout, noted| layout.and(noted.layout))
    }

    /// Gives the declarators of a declaration theirs: what stands among its specifiers is of all of them, what stands behind
    /// a declarator of that one. What stands in the body of a struct is of its members.
    pub(super) fn layouts(&self, whole: Span, specs: &TypeSpecs, mut declarators: Vec<&mut Declarator>) {
        if self.item.layouts.is_empty() {
            return;
        }
        let (start, end) = (whole.start as usize, whole.end as usize);
        let from = self.item.layouts.partition_point(|noted| noted.at < start);
        let to = self.item.layouts.partition_point(|noted| noted.at < end);
        let bodies = &specs.definitions;
        let own = self.item.layouts[from..to].iter().filter(|noted| {
            let in_body = |body: Span| noted.at > body.start as usize && noted.at < body.end as usize;
            noted.place == Where::Declarator && !bodies.iter().any(|definition| in_body(definition.span))
        });
        for noted in own {
            let behind = declarators.partition_point(|it| it.span.start as usize <= noted.at);
            let of = match behind {
                0 => &mut declarators[..],
                behind => &mut declarators[behind - 1..behind],
            };
            for declarator in of {
                declarator.layout = declarator.layout.and(noted.layout);
            }
        }
    }
}
