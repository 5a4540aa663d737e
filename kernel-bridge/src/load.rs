//! From an emitted program to programs in the kernel, through aya.
//!
//! Comes in: an [`EbpfProgram`]. Goes out: [`Loaded`], whose maps answer by index and whose
//! programs can be attached; dropping it detaches and frees everything. What the verifier says becomes an [`Error`] that
//! names the probe and clause. Never: a decision about what runs where.

mod bind;
mod hurry;
mod log;
mod refusal;

pub use hurry::end_asked_for;
pub use log::verifier_log;
pub(crate) use refusal::no_types;

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use aya::maps::{Map, MapData};
use aya::programs::perf_event::{PerfEventConfig, PerfEventScope, SamplePolicy, SoftwareEvent};
use aya::programs::{Program, ProgramError, ProgramFd};
use aya::{Btf, Ebpf, EbpfLoader, Endianness};
use dtrail_lang::plan::Plan;
use dtrail_vm::event::Error;

use crate::ebpf::{self, EbpfProgram, Hook, ProgramSpec};
use crate::maps::KernelMaps;
use crate::readers::btf;
use crate::sys::{bpf as syscall, cpus, hidden_files, remains};

/// Programs in the kernel.
#[derive(Debug)]
pub struct Loaded {
    ebpf: Ebpf,
    /// Name and hook of each, in the order of [`EbpfProgram::programs`].
    programs: Vec<(String, Hook)>,
    /// How many of them are on their hooks: the first ones.
    attached: usize,
}

/// Loads everything and attaches nothing. `types` are those of the kernel; without them no program may be typed. The
/// maps come apart from the programs, since they are used at the same time.
pub fn load(plan: &Plan, program: &EbpfProgram, types: Option<&Btf>) -> Result<(Loaded, KernelMaps), Error> {
    load_until(plan, program, types, &|| false)
}

/// The same, unless `interrupted` says meanwhile that nobody wants it any more.
pub fn load_until(
    plan: &Plan,
    program: &EbpfProgram,
    types: Option<&Btf>,
    interrupted: &dyn Fn() -> bool,
) -> Result<(Loaded, KernelMaps), Error> {
    let Prepared { made, mut ebpf, .. } = prepare(program)?;

    let loading = hurry::Loading::new();
    for spec in &program.programs {
        if interrupted() {
            return Err(refusal::interrupted());
        }
        let loaded = ebpf.program_mut(&spec.name).ok_or(ProgramError::NotLoaded);
        loaded.and_then(|p| load_one(p, spec, types)).map_err(|e| match loading.is_over() {
            // Whatever the kernel said of what it was to give up.
            true => refusal::interrupted(),
            false => refusal::program(plan, spec, &e),
        })?;
    }
    drop(loading);

    let descriptors = program.maps.iter().zip(made).map(|(spec, made)| match made {
        Some(made) => Ok(made),
        None => descriptor(&ebpf, &spec.name),
    });
    let maps =
        KernelMaps::new(descriptors, &program.maps, program.state.control).map_err(|e| refusal::maps(&e))?;
    let programs = program.programs.iter().map(|spec| (spec.name.clone(), spec.hook.clone())).collect();
    Ok((Loaded { ebpf, programs, attached: 0 }, maps))
}

/// Maps that exist, and programs that the kernel does not have yet.
struct Prepared {
    /// See [`bind::Bound::made`].
    made: Vec<Option<OwnedFd>>,
    /// What aya was given.
    object: Vec<u8>,
    ebpf: Ebpf,
}

fn prepare(program: &EbpfProgram) -> Result<Prepared, Error> {
    let bound = bind::bind(program).map_err(|e| refusal::maps(&e))?;
    let object = ebpf::object::write(&bound.program)?;
    let ebpf = loader().btf(None).allow_unsupported_maps().load(&object).map_err(|e| refusal::object(&e))?;
    Ok(Prepared { made: bound.made, object, ebpf })
}

/// A loader that knows nothing of the kernel's types. aya reads them all as it makes one, 18 ms and 19 MB for nothing, unless
/// the file cannot be found; so it is made where there are no files, if this process may go there.
fn loader() -> EbpfLoader<'static> {
    let secluded = std::thread::Builder::new().name("loader".into()).spawn(|| {
        // Where it fails, the types are read and dropped again: slower, not wrong.
        let _ = hidden_files::hide_from_this_thread();
        EbpfLoader::new()
    });
    secluded.ok().and_then(|thread| thread.join().ok()).unwrap_or_else(EbpfLoader::new)
}

fn load_one(program: &mut Program, spec: &ProgramSpec, types: Option<&Btf>) -> Result<(), ProgramError> {
    match (program, spec.hook.raw_tracepoint(), types) {
        (Program::BtfTracePoint(p), Some(name), Some(types)) => p.load(name, types),
        (Program::RawTracePoint(p), _, _) => p.load(),
        (Program::PerfEvent(p), _, _) => p.load(),
        (Program::TracePoint(p), _, _) => p.load(),
        _ => Err(ProgramError::UnexpectedProgramType),
    }
}

/// What aya must know of the kernel's types to load the typed programs; `None` if there are none.
pub fn types_for(program: &EbpfProgram, kernel: &btf::Btf) -> Result<Option<Btf>, Error> {
    let typed = program.programs.iter().filter(|spec| spec.typed);
    let names: Vec<String> =
        typed.filter_map(|spec| Some(format!("btf_trace_{}", spec.hook.raw_tracepoint()?))).collect();
    if names.is_empty() {
        return Ok(None);
    }
    let wanted: Vec<_> = names.iter().map(String::as_str).collect();
    let skeleton = kernel
        .skeleton(&wanted)
        .ok_or_else(|| Error::new(format!("this kernel lacks one of {}", names.join(", "))))?;
    Btf::parse(&skeleton, Endianness::default()).map(Some).map_err(|e| no_types(&e))
}

fn descriptor(ebpf: &Ebpf, name: &str) -> io::Result<OwnedFd> {
    let map = ebpf.map(name).ok_or_else(|| io::Error::other(format!("map {name} is missing")))?;
    data(map).fd().as_fd().try_clone_to_owned()
}

/// A map's data, whatever aya takes it for.
fn data(map: &Map) -> &MapData {
    match map {
        Map::Array(data)
        | Map::PerCpuArray(data)
        | Map::HashMap(data)
        | Map::PerCpuHashMap(data)
        | Map::RingBuf(data)
        | Map::Unsupported(data)
        | Map::ArrayOfMaps(data)
        | Map::BloomFilter(data)
        | Map::CgroupArray(data)
        | Map::CgroupStorage(data)
        | Map::CgrpStorage(data)
        | Map::CpuMap(data)
        | Map::DevMap(data)
        | Map::DevMapHash(data)
        | Map::HashOfMaps(data)
        | Map::InodeStorage(data)
        | Map::LpmTrie(data)
        | Map::LruHashMap(data)
        | Map::PerCpuCgroupStorage(data)
        | Map::PerCpuLruHashMap(data)
        | Map::PerfEventArray(data)
        | Map::ProgramArray(data)
        | Map::Queue(data)
        | Map::ReusePortSockArray(data)
        | Map::SkStorage(data)
        | Map::SockHash(data)
        | Map::SockMap(data)
        | Map::Stack(data)
        | Map::StackTraceMap(data)
        | Map::XskMap(data) => data,
    }
}

impl Loaded {
    /// Hangs every program on its hook, in order, unless `interrupted` says meanwhile that nobody wants it any more.
    /// [`Hook::Inject`] has none.
    pub fn attach(&mut self, only_cpu: Option<u32>, interrupted: &dyn Fn() -> bool) -> Result<(), Error> {
        for (name, hook) in &self.programs {
            if interrupted() {
                return Err(refusal::interrupted());
            }
            let program = self.ebpf.program_mut(name).ok_or(ProgramError::NotLoaded);
            program.and_then(|p| attach_one(p, hook, only_cpu)).map_err(|e| refusal::attach(hook, &e))?;
            self.attached += 1;
        }
        Ok(())
    }

    /// How many programs the kernel takes long to take off their hooks: for each trace event it waits until no CPU is in
    /// it any more, one event after the other (measured: 50 to 80 ms each).
    pub fn slow_to_detach(&self) -> usize {
        let attached = self.programs.iter().take(self.attached);
        attached.filter(|(_, hook)| matches!(hook, Hook::Tracepoint { .. })).count()
    }

    /// Takes all programs off their hooks and frees everything. Once `impatient` says so, the rest is left to a process of
    /// its own, and the caller must end.
    pub fn detach(mut self, impatient: &dyn Fn() -> bool) {
        for (name, _) in &self.programs {
            if impatient() {
                // The caller is about to end, and its end would take as long.
                remains::leave_descriptors();
                std::mem::forget(self.ebpf);
                return;
            }
            // That one is not attached or not loaded is no reason to keep the others.
            let _ = match self.ebpf.program_mut(name) {
                Some(Program::BtfTracePoint(p)) => p.unload(),
                Some(Program::RawTracePoint(p)) => p.unload(),
                Some(Program::TracePoint(p)) => p.unload(),
                Some(Program::PerfEvent(p)) => p.unload(),
                _ => Ok(()),
            };
        }
    }

    /// How often the kernel did not run one of the programs because it was already running on that CPU.
    pub fn misses(&self) -> u64 {
        self.descriptors().filter_map(|fd| syscall::recursion_misses(fd).ok()).sum()
    }

    /// The program that injected events go through.
    pub fn injector(&self) -> Option<BorrowedFd<'_>> {
        let (name, _) = self.programs.iter().find(|(_, hook)| *hook == Hook::Inject)?;
        program_fd(self.ebpf.program(name)?).map(AsFd::as_fd)
    }

    fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.programs.iter().filter_map(|(name, _)| program_fd(self.ebpf.program(name)?).map(AsFd::as_fd))
    }
}

fn program_fd(program: &Program) -> Option<&ProgramFd> {
    program.fd().ok()
}

fn attach_one(program: &mut Program, hook: &Hook, only_cpu: Option<u32>) -> Result<(), ProgramError> {
    match (program, hook) {
        (_, Hook::Inject) => Ok(()),
        (Program::BtfTracePoint(p), _) => p.attach().map(drop),
        (Program::RawTracePoint(p), hook) => p.attach(hook.raw_tracepoint().unwrap_or_default()).map(drop),
        (Program::TracePoint(p), Hook::Tracepoint { group, event }) => p.attach(group, event).map(drop),
        (Program::PerfEvent(p), Hook::Profile { period }) => {
            let online = cpus::online().map_err(aya::maps::MapError::IoError)?;
            for cpu in online.into_iter().filter(|&cpu| only_cpu.is_none_or(|only| only == cpu)) {
                p.attach(
                    PerfEventConfig::Software(SoftwareEvent::CpuClock),
                    PerfEventScope::AllProcessesOneCpu { cpu },
                    SamplePolicy::Period(*period),
                    false,
                )?;
            }
            Ok(())
        }
        _ => Err(ProgramError::UnexpectedProgramType),
    }
}

#[cfg(test)]
mod tests;
