//! The engines that run cases, and which of them this process may use.

use dtrail_kernel_bridge::caps;

/// One way to run a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Engine {
    /// Everything in user space.
    Interp,
    /// Kernel parts in rbpf.
    Rbpf,
    /// Kernel parts in the kernel.
    Bpf,
}

impl Engine {
    /// All, in the order of the table.
    pub const ALL: [Engine; 3] = [Engine::Interp, Engine::Rbpf, Engine::Bpf];

    /// As `--engine` spells it.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Interp => "interp",
            Engine::Rbpf => "rbpf",
            Engine::Bpf => "bpf",
        }
    }

    /// The engine of a name.
    pub fn by_name(name: &str) -> Option<Engine> {
        Engine::ALL.into_iter().find(|engine| engine.name() == name)
    }

    /// Why it cannot be used here.
    pub fn unavailable(self) -> Option<String> {
        match self {
            Engine::Interp | Engine::Rbpf => None,
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
