//! Functions as C wrote them once, `int f(a, b) int a; char b; { … }`: where the word behind the parentheses stands in, and
//! out whether the declaration was such a definition, which is then blanked out. Other words there stand for nothing in D.

use super::super::errors;
use super::{Declaration, Reader};

/// Most declarations of parameters that are looked through: C asked compilers for 31.
const MAX_PARAMETERS: usize = 64;

impl Reader<'_> {
    /// Whether the declaration goes on at `start`, behind its parameters, with what they are and a body. If it does, it ends
    /// there; if not, it can be said in D no better.
    pub(super) fn old_function(&mut self, start: usize) -> bool {
        let Some(body) = self.old_body(start) else {
            self.leave_out(start, || errors::NOTHING_BEHIND_PARAMETERS.to_string());
            return false;
        };
        match self.balanced(body) {
            Some(end) => {
                self.blank(self.declaration.start, end);
                self.pos = end;
                self.declaration = Declaration::default();
            }
            None => self.has_no_end(body),
        }
        true
    }

    /// The brace that opens the body.
    fn old_body(&self, start: usize) -> Option<usize> {
        let mut at = start;
        for parameter in 0..MAX_PARAMETERS {
            at = self.end_of_parameter(at)?;
            match self.byte(at) {
                // `int f(void) WORD { … }`; behind a semicolon it is the body of a struct.
                Some(b'{') => return (parameter == 0).then_some(at),
                Some(b'}') => return None,
                _ => at = self.next_token(at + 1),
            }
            if self.byte(at) == Some(b'{') {
                return Some(at);
            }
        }
        None
    }
}
