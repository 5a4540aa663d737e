//! The operands of an expression: which parts of it are expressions, in one list for whoever reads them and whoever changes
//! them. Never: what a type name in it holds.

use super::{Expr, ExprKind};

/// Makes a function that calls another with the operands of an expression; `$iter` goes over a list of them.
macro_rules! operands {
    ($(#[$doc:meta])* $name:ident, $iter:ident, $lifetime:lifetime, $expr:ty) => {
        $(#[$doc])*
        pub fn $name<$lifetime>(expr: $expr, f: &mut dyn FnMut($expr)) {
            match expr {
                Expr { kind, .. } => match kind {
                    ExprKind::Int(_)
                    | ExprKind::Str(_)
                    | ExprKind::Name(_)
                    | ExprKind::SelfVar(_)
                    | ExprKind::ThisVar(_)
                    | ExprKind::Agg(_)
                    | ExprKind::SizeofType(_)
                    | ExprKind::Offsetof { .. } => {}
                    ExprKind::Call { callee: first, args: rest }
                    | ExprKind::Index { base: first, keys: rest } => {
                        f(first);
                        rest.$iter().for_each(f);
                    }
                    ExprKind::Member { base: operand, .. }
                    | ExprKind::Unary { operand, .. }
                    | ExprKind::Postfix { operand, .. }
                    | ExprKind::Cast { operand, .. }
                    | ExprKind::Xlate { operand, .. }
                    | ExprKind::SizeofExpr(operand)
                    | ExprKind::Stringof(operand) => f(operand),
                    ExprKind::Binary { lhs, rhs, .. }
                    | ExprKind::Assign { lhs, rhs, .. }
                    | ExprKind::Comma(lhs, rhs) => {
                        f(lhs);
                        f(rhs);
                    }
                    ExprKind::Cond { cond, then, otherwise } => {
                        f(cond);
                        f(then);
                        f(otherwise);
                    }
                },
            }
        }
    };
}

operands! {
    /// Calls `f` with the operands of an expression, left to right.
    operands, iter, 'a, &'a Expr
}

operands! {
    /// As [`operands`], to change them.
    operands_mut, iter_mut, 'a, &'a mut Expr
}
