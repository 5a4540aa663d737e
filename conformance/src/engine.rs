//! The engines that run cases, and which of them this process may use.

use dtrail_kernel_bridge::caps;

/// One way to run a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Engine {
    /// Everything in user space, interpreted.
    Interp,
    /// Everything in user space, every clause compiled before it runs.
    Jit,
    /// Kernel parts in rbpf.
    Rbpf,
    /// Kernel parts in the kernel.
    Bpf,
}

impl Engine {
    /// All, in the order of the table.
    pub const ALL: [Engine; Engine::COUNT] = [Engine::Interp, Engine::Jit, Engine::Rbpf, Engine::Bpf];
    /// How many there are.
    pub const COUNT: usize = 4;

    /// As `--engine` spells it.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Interp => "interp",
            Engine::Jit => "jit",
            Engine::Rbpf => "rbpf",
            Engine::Bpf => "bpf",
        }
    }

    /// The engine of a name.
    pub fn by_name(name: &str) -> Option<Engine> {
        Engine::ALL.into_iter().find(|engine| engine.name() == name)
    }

    /// Whether it runs kernel parts.
    pub fn has_kernel_part(self) -> bool {
        matches!(self, Engine::Rbpf | Engine::Bpf)
    }

    /// Why it cannot be used here.
    pub fn unavailable(self) -> Option<String> {
        match self {
            Engine::Interp | Engine::Jit | Engine::Rbpf => None,
            Engine::Bpf => caps::can_bpf().err().map(|e| e.message),
        }
    }
}

/// Whether this process runs as root, so that no engine may be missing in CI.
pub fn is_root() -> bool {
    user() == Some(0)
}

/// The user this process runs as.
pub fn user() -> Option<u32> {
    std::fs::metadata("/proc/self").ok().map(|m| std::os::unix::fs::MetadataExt::uid(&m))
}
