//! Memory with compiled code, and the jump into it. In: clauses. Out: functions that this module alone can call, with
//! frames that reach as far as they need. The memory is writable or executable, never both, and freed with its owner.
#![allow(
    unsafe_code,
    reason = "to call code that was just made is unsafe by nature; it is done here and nowhere else"
)]

use cranelift_codegen::Context;
use cranelift_codegen::ir::{Function, UserFuncName};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use dtrail_lang::ir::{self, ClauseId};
use dtrail_lang::plan::Plan;

use super::frame::{Entry, Frame, Function0, Places};
use super::translate::{DONE, Refused, translate};
use crate::engine::Engine;
use crate::interp::Interp;
use crate::runtime::{Native, Reach, Run};
use crate::vars::Vars;

/// See the module.
#[derive(Default)]
pub(super) struct Code {
    /// Made with the first clause that is compiled: few programs get there. Taken by `drop` only.
    made: Option<Made>,
}

/// What clauses are compiled with, and what of it there is.
struct Made {
    module: JITModule,
    /// By [`Entry::index`].
    entries: Vec<FuncId>,
    buffers: FunctionBuilderContext,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Code").finish_non_exhaustive()
    }
}

/// A compiled clause, valid as long as the [`Code`] that gave it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compiled {
    function: Function0,
    reach: Reach,
    /// The address of what was compiled: other code under the same number is other code.
    clause: usize,
}

impl Compiled {
    /// Whether it is this clause's.
    #[inline]
    pub(super) fn is_of(&self, clause: &ir::Clause) -> bool {
        self.clause == std::ptr::from_ref(clause).addr()
    }
}

impl Made {
    /// Nothing compiled yet; `None` if this machine is not one that code can be made for.
    fn new() -> Option<Made> {
        let verify = if cfg!(debug_assertions) { "true" } else { "false" };
        let flags = [("enable_verifier", verify), ("opt_level", "speed"), ("enable_probestack", "false")];
        let mut builder = JITBuilder::with_flags(&flags, default_libcall_names()).ok()?;
        for entry in Entry::all() {
            builder.symbol(entry.name(), entry.address());
        }
        let mut module = JITModule::new(builder);
        let convention = module.isa().default_call_conv();
        let entries = Entry::all().map(|entry| {
            module.declare_function(entry.name(), Linkage::Import, &entry.signature(convention)).ok()
        });
        let entries = entries.collect::<Option<Vec<_>>>()?;
        Some(Made { module, entries, buffers: FunctionBuilderContext::new() })
    }

    /// A clause as a function.
    fn function(
        &mut self,
        (plan, vars): (&Plan, &Vars),
        id: ClauseId,
        clause: &ir::Clause,
        recorded: bool,
        name: UserFuncName,
    ) -> Option<(Function, Reach)> {
        let Made { module, entries, buffers } = self;
        let signature = Places::signature(module.make_signature());
        let mut function = Function::with_name_signature(name, signature);
        let config = module.target_config();
        let mut linked = vec![None; entries.len()];
        let mut link = |function: &mut Function, entry: Entry| {
            let at = entry.index();
            *linked[at].get_or_insert_with(|| module.declare_func_in_func(entries[at], function))
        };
        let area = recorded.then_some(id);
        match translate(plan, vars, clause, area, &mut function, buffers, config, &mut link) {
            Ok(reach) => Some((function, reach)),
            Err(Refused) => {
                // It holds half a function.
                self.buffers = FunctionBuilderContext::new();
                None
            }
        }
    }
}

impl Code {
    /// What compiles; `None` if this machine is not one that code can be made for.
    fn made(&mut self) -> Option<&mut Made> {
        if self.made.is_none() {
            self.made = Made::new();
        }
        self.made.as_mut()
    }

    /// Whether this machine is one that code can be made for.
    pub(super) fn can_be_made(&mut self) -> bool {
        self.made().is_some()
    }

    /// Compiles a clause; `recorded` says that its input is a record. `None` if it must stay with the interpreter.
    pub(super) fn compile(
        &mut self,
        (plan, vars): (&Plan, &Vars),
        id: ClauseId,
        clause: &ir::Clause,
        recorded: bool,
    ) -> Option<Compiled> {
        let made = self.made()?;
        let signature = Places::signature(made.module.make_signature());
        let func = made.module.declare_anonymous_function(&signature).ok()?;
        let (function, reach) =
            made.function((plan, vars), id, clause, recorded, UserFuncName::user(0, func.as_u32()))?;
        let module = &mut made.module;
        module.define_function(func, &mut Context::for_function(function)).ok()?;
        module.finalize_definitions().ok()?;
        let address = module.get_finalized_function(func);
        // SAFETY: the function was defined with this signature and convention.
        let function = unsafe { std::mem::transmute::<*const u8, Function0>(address) };
        Some(Compiled { function, reach, clause: std::ptr::from_ref(clause).addr() })
    }

    /// The text of a clause's function.
    pub(super) fn show(
        &mut self,
        (plan, vars): (&Plan, &Vars),
        id: ClauseId,
        clause: &ir::Clause,
        recorded: bool,
    ) -> String {
        let name = UserFuncName::testcase(format!("c{}", id.0));
        let Some(made) = self.made() else { return String::new() };
        match made.function((plan, vars), id, clause, recorded, name) {
            Some((function, _)) => {
                let mut text = function.display().to_string();
                for (entry, id) in Entry::all().zip(&made.entries) {
                    // The names of imports are numbers there.
                    text = text.replace(&format!(" u0:{} ", id.as_u32()), &format!(" %{} ", entry.name()));
                }
                text
            }
            None => "; stays with the interpreter\n".into(),
        }
    }

    /// Runs a compiled clause. What does not reach as far as the code was made for goes to the interpreter, which says
    /// what is wrong.
    #[inline(always)]
    pub(super) fn run(
        &self,
        compiled: &Compiled,
        clause: &ir::Clause,
        interp: &mut Interp,
        run: &mut Run<'_>,
    ) -> Option<u32> {
        let Compiled { function, reach, .. } = compiled;
        let Some(native) = run.native(reach) else {
            return interpret(interp, clause, run);
        };
        let mut frame = Frame {
            run: std::ptr::from_mut(run).cast(),
            registers: interp.registers(reach.registers).as_mut_ptr(),
            interp,
            clause,
        };
        let Native { globals, locals, tables, record, area } = native;
        // SAFETY: the function is of this module, which lives (`self`). It touches the words that `reach` names: the
        // registers are as many, and `native` has checked the rest. The frame and what it points to live until it
        // returns, and this function uses none of them before.
        let point = unsafe { function(&mut frame, record, area, globals, locals, tables) };
        (point != DONE).then_some(point as u32)
    }
}

#[cold]
#[inline(never)]
fn interpret(interp: &mut Interp, clause: &ir::Clause, run: &mut Run<'_>) -> Option<u32> {
    interp.run(ClauseId(0), clause, run)
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(Made { module, .. }) = self.made.take() {
            // SAFETY: compiled functions are called by `run` alone, which borrows `self`: none is under way, and none can
            // be called after.
            unsafe { module.free_memory() };
        }
    }
}
