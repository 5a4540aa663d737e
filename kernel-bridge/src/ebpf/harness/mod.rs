//! Runs an [`EbpfProgram`] in rbpf on injected events, without a kernel.
//!
//! Comes in: an emitted program with an [`Hook::Inject`] program, events in the layout of [`inject`], and the memory that
//! they speak of. Goes out: records and map contents, through the same [`MapAccess`] as the kernel's. Checks on top what
//! the kernel's verifier would and rbpf does not ([`check`]); what a helper would refuse is an error of the run.
//!
//! Differences from the kernel: one program at a time, so an atomic add is a load, an add and a store; the ring holds
//! whole records and is emptied by [`Harness::records`].

#![allow(unsafe_code, reason = "code that is lent to rbpf")]

mod arena;
mod check;
mod link;
mod world;

use std::any::Any;
use std::ptr::NonNull;

use rbpf::EbpfVmMbuff;

use super::{EbpfProgram, Hook, MapAccess, inject};
use link::Image;
use world::{HELPERS, World, stride, with_world};

/// The memory that injected events speak of.
pub trait SyntheticMemory: std::fmt::Debug + Send {
    /// Fills `buf` from an address on, of the traced process (`user`) or of the kernel, as far as memory is readable;
    /// gives how many bytes were.
    fn read(&mut self, user: bool, addr: u64, buf: &mut [u8]) -> usize;

    /// Writes to the traced process; `false` if it has no such memory.
    fn write(&mut self, _addr: u64, _bytes: &[u8]) -> bool {
        false
    }
}

/// No memory at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMemory;

impl SyntheticMemory for NoMemory {
    fn read(&mut self, _: bool, _: u64, _: &mut [u8]) -> usize {
        0
    }
}

/// What the error of a program begins with that is longer than rbpf's jumps reach.
pub const TOO_LONG: &str = "the emulator rbpf takes no code as long as this";

/// Why a program does not run, or a run failed: a defect of the emitter, told in terms of its code, or [`TOO_LONG`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarnessError(pub String);

impl std::fmt::Display for HarnessError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for HarnessError {}

/// A loaded program.
#[derive(Debug)]
pub struct Harness {
    vm: Vm,
    /// Always there but while the program runs.
    world: Option<Box<World>>,
    inject: u32,
    control: u32,
}

impl Harness {
    /// Checks and links a program. `cpus` is how many copies per-CPU values have.
    pub fn new(
        program: &EbpfProgram,
        cpus: u32,
        memory: Box<dyn SyntheticMemory>,
    ) -> Result<Harness, HarnessError> {
        check::check(program).map_err(HarnessError)?;
        let spec = program.programs.iter().find(|p| p.hook == Hook::Inject);
        let (Some(spec), Some(inject)) = (spec, program.state.inject) else {
            return Err(HarnessError("only programs for injected events run in rbpf".to_owned()));
        };
        let world = World::new(&program.maps, cpus.max(1) as usize, memory)
            .ok_or_else(|| HarnessError("a map is too large".to_owned()))?;
        let address = |map: u32| world.maps.get(map as usize).map(|m| m.values.address());
        let image = link::link(program, spec, address).map_err(HarnessError)?;
        let vm = Vm::new(image, &world)?;
        Ok(Harness { vm, world: Some(Box::new(world)), inject, control: program.state.control })
    }

    /// Replaces the memory that events speak of.
    pub fn set_memory(&mut self, memory: Box<dyn SyntheticMemory>) {
        self.world_mut().memory = memory;
    }

    /// Whether the kernel has no memory at hand: hashes that ask for it as they go then take no new key.
    pub fn starve(&mut self, starved: bool) {
        self.world_mut().starved = starved;
    }

    /// Puts an event (in the layout of [`inject`]) where the program finds it, and runs the program once.
    pub fn inject(&mut self, event: &[u8; inject::SIZE as usize]) -> Result<(), HarnessError> {
        let map = self.inject;
        self.update(map, &0u32.to_le_bytes(), event);
        self.run()
    }

    /// Runs the program once on the event that the map for injected events holds.
    pub fn run(&mut self) -> Result<(), HarnessError> {
        let Some(mut world) = self.world.take() else {
            return Err(HarnessError("a run within a run".to_owned()));
        };
        let mut cpu = [0; 8];
        world.maps[self.inject as usize].values.read(inject::CPU as usize, &mut cpu);
        world.cpu = (u64::from_le_bytes(cpu) % world.cpus as u64) as usize;
        let (mut world, result) = with_world(world, || self.vm.execute());
        let refused = world.refused.take();
        let broken = world.maps.iter().find(|m| !m.values.intact()).map(|m| m.spec.name.clone());
        self.world = Some(world);
        result?;
        match (refused, broken) {
            (Some(what), _) => Err(HarnessError(what)),
            (None, Some(map)) => Err(HarnessError(format!("a write behind the end of map {map}"))),
            (None, None) => Ok(()),
        }
    }

    /// Takes what was sent since the last call, oldest first, and with it empties the ring.
    pub fn records(&mut self) -> Vec<Vec<u8>> {
        self.world_mut().take_records()
    }

    fn world_mut(&mut self) -> &mut World {
        // Taken out in `run` only, which puts it back.
        self.world.as_mut().unwrap_or_else(|| unreachable!("the world is there between runs"))
    }
}

impl MapAccess for Harness {
    fn cpus(&self) -> u32 {
        self.world.as_ref().map_or(1, |w| w.cpus as u32)
    }

    fn lookup(&mut self, map: u32, key: &[u8]) -> Option<Vec<u8>> {
        let world = self.world_mut();
        let map = world.maps.get(map as usize)?;
        let mut value = vec![0; stride(&map.spec, world.cpus)];
        let at = map.find(key)? * value.len();
        map.values.read(at, &mut value).then_some(value)
    }

    fn update(&mut self, map: u32, key: &[u8], value: &[u8]) -> bool {
        let world = self.world_mut();
        let cpus = world.cpus;
        let Some(map) = world.maps.get_mut(map as usize) else { return false };
        let Some(entry) = map.find_or_make(key, cpus) else { return false };
        let size = stride(&map.spec, cpus);
        map.values.write(entry * size, &value[..value.len().min(size)])
    }

    fn delete(&mut self, map: u32, key: &[u8]) {
        if let Some(map) = self.world_mut().maps.get_mut(map as usize) {
            map.remove(key);
        }
    }

    fn keys(&mut self, map: u32) -> Vec<Vec<u8>> {
        let map = self.world_mut().maps.get(map as usize);
        map.map_or_else(Vec::new, |map| map.keys().map(<[u8]>::to_vec).collect())
    }

    fn take(&mut self, map: u32, which: &mut dyn FnMut(&[u8]) -> bool, out: &mut dyn FnMut(&[u8], &[u8])) {
        for key in self.keys(map).into_iter().filter(|key| which(key)) {
            if let Some(value) = self.lookup(map, &key) {
                out(&key, &value);
            }
            self.delete(map, &key);
        }
    }

    fn control(&mut self, word: u32) -> u64 {
        let map = self.control;
        let mut value = [0; 8];
        self.read(map, 8 * word, &mut value);
        u64::from_le_bytes(value)
    }

    fn set_control(&mut self, word: u32, value: u64) {
        let map = self.control;
        self.write(map, 8 * word, &value.to_le_bytes());
    }

    fn replace_control(&mut self, word: u32, old: u64, new: u64) -> bool {
        let same = self.control(word) == old;
        if same {
            self.set_control(word, new);
        }
        same
    }

    fn quiesce(&mut self) {}
}

/// rbpf's machine with the code it runs. The machine borrows the code, so both live here.
struct Vm {
    machine: Option<EbpfVmMbuff<'static>>,
    code: NonNull<[u8]>,
}

// SAFETY: `code` is owned and not shared; the machine holds that borrow, plain functions and numbers.
unsafe impl Send for Vm {}

impl std::fmt::Debug for Vm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vm").field("code", &self.code.len()).finish_non_exhaustive()
    }
}

impl Vm {
    fn new(image: Image, world: &World) -> Result<Vm, HarnessError> {
        let code = NonNull::from(Box::leak(image.bytes.into_boxed_slice()));
        let mut vm = Vm { machine: None, code };
        // SAFETY: the allocation lives until `drop`, which ends the machine first; it is never written again.
        let bytes: &'static [u8] = unsafe { vm.code.as_ref() };
        let failed = |e: std::io::Error| HarnessError(e.to_string());
        let mut machine = EbpfVmMbuff::new(None).map_err(failed)?;
        machine.set_stack_usage_calculator(stack_usage, Box::new(image.functions)).map_err(failed)?;
        machine.set_program(bytes).map_err(failed)?;
        for &(id, _, helper) in HELPERS {
            machine.register_helper(id as u32, helper).map_err(failed)?;
        }
        for map in &world.maps {
            machine.register_allowed_memory(map.values.range());
        }
        vm.machine = Some(machine);
        Ok(vm)
    }

    fn execute(&self) -> Result<(), HarnessError> {
        match &self.machine {
            Some(machine) => {
                machine.execute_program(&[], &[]).map(drop).map_err(|e| HarnessError(e.to_string()))
            }
            None => Ok(()),
        }
    }
}

impl Drop for Vm {
    fn drop(&mut self) {
        self.machine = None;
        // SAFETY: it came from a box, and the machine that borrowed it is gone.
        drop(unsafe { Box::from_raw(self.code.as_ptr()) });
    }
}

/// How much stack the function around an instruction takes. rbpf asks for what it takes for functions, which are also
/// places that helper numbers happen to name; the answer is right for those too.
fn stack_usage(_: &[u8], pc: usize, data: &mut dyn Any) -> u16 {
    // rbpf passes the box, not what is in it.
    let data = data.downcast_ref::<Box<dyn Any>>().map_or(&*data, |boxed| &**boxed);
    let functions = data.downcast_ref::<Vec<(usize, u16)>>();
    debug_assert!(functions.is_some());
    let around = functions.and_then(|f| f.iter().rev().find(|&&(start, _)| start <= pc));
    around.map_or(0, |&(_, usage)| usage)
}
