//! Where members of the kernel's structures lie that a subroutine looks at by itself: `d_path` and `getf`.
//!
//! In: the kernel's types, when a program calls one of them. Out: offsets for the lowering, or the member that this kernel
//! does not have.

use crate::builtins::Func;
use crate::builtins::paths::PathPlaces;
use crate::env::{KernelType, KernelTypeId, KernelTypes};
use crate::types::TagKind;

/// Deepest nesting of structures that is followed.
const NESTED: u32 = 8;

/// The offsets that were asked for so far; 0 where none were.
#[derive(Clone, Copy, Debug, Default)]
pub struct KernelPlaces {
    /// For `d_path` and the places of mounts.
    pub path: PathPlaces,
    /// `task_struct.fs`
    pub task_fs: u32,
    /// `task_struct.files`
    pub task_files: u32,
    /// `files_struct.fdt`
    pub files_table: u32,
    /// `fdtable.max_fds`
    pub table_size: u32,
    /// `fdtable.fd`
    pub table_files: u32,
}

impl KernelPlaces {
    /// Adds what a subroutine looks at. `Err` is the name of a member that is missing.
    pub(super) fn find(&mut self, kernel: &dyn KernelTypes, func: Func) -> Result<(), String> {
        let member = |tag: &str, path: &[&str]| {
            let found = kernel.find(None, Some(TagKind::Struct), tag).and_then(|id| offset(kernel, id, path));
            found.ok_or_else(|| format!("struct {tag} with a member {}", path.join(".")))
        };
        match func {
            Func::DPath | Func::MountPoint => {
                self.task_fs = member("task_struct", &["fs"])?;
                let places = PathPlaces {
                    parent: member("dentry", &["d_parent"])?,
                    name: member("dentry", &["d_name", "name"])?,
                    mount: member("mount", &["mnt"])?,
                    mount_parent: member("mount", &["mnt_parent"])?,
                    mountpoint: member("mount", &["mnt_mountpoint"])?,
                    fs_root: member("fs_struct", &["root"])?,
                    of_mount: false,
                };
                places.packed().ok_or("structures of files that are small enough")?;
                self.path = places;
            }
            Func::Getf => {
                self.task_files = member("task_struct", &["files"])?;
                self.files_table = member("files_struct", &["fdt"])?;
                self.table_size = member("fdtable", &["max_fds"])?;
                self.table_files = member("fdtable", &["fd"])?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Bytes from the start of a structure to a member of members.
fn offset(kernel: &dyn KernelTypes, mut id: KernelTypeId, path: &[&str]) -> Option<u32> {
    let mut bits = 0;
    for name in path {
        let (at, ty) = find(kernel, id, name, NESTED)?;
        bits += at;
        id = ty;
    }
    u32::try_from(bits / 8).ok().filter(|_| bits % 8 == 0)
}

/// Bits to a member and its type; members of anonymous members are the structure's own.
fn find(
    kernel: &dyn KernelTypes,
    mut id: KernelTypeId,
    name: &str,
    nested: u32,
) -> Option<(u64, KernelTypeId)> {
    let nested = nested.checked_sub(1)?;
    for _ in 0..NESTED {
        match kernel.describe(id) {
            KernelType::Typedef { target, .. } | KernelType::Qualified(_, target) => id = target,
            _ => break,
        }
    }
    kernel.members(id).into_iter().find_map(|member| match &member.name {
        Some(found) => (**found == *name).then_some((member.bit_offset, member.ty)),
        None => find(kernel, member.ty, name, nested).map(|(at, ty)| (member.bit_offset + at, ty)),
    })
}
