//! How a path is made of what the kernel has: the walk from a `struct path` to the root, the same in user space and in the
//! kernel. Facts only: who compiles a program says where the members lie on this kernel, whoever runs it walks.
//!
//! From the entry (`dentry`) of a path the walk goes to its parent, and from the root of a mount to the entry that it is
//! mounted on, until it comes to the root of the process or to where nothing is above. The names it met, each behind a
//! slash, are the path. What no directory holds (a pipe, a socket) has the name of its entry, often none. Beyond
//! [`DEPTH`] names or [`TURNS`] steps the rest is `...`.

/// Most names of a path.
pub const DEPTH: u32 = 32;

/// Most steps of a walk: names, and mounts that are crossed.
pub const TURNS: u32 = 48;

/// What stands for names that are left out.
pub const MORE: &[u8; 3] = b"...";

/// `path.dentry`, behind `path.mnt`, the first member, in every kernel.
pub const PATH_DENTRY: u32 = 8;

/// Where the members lie that a walk looks at: bytes below 4096. `vfsmount.mnt_root` comes first in every kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathPlaces {
    /// `dentry.d_parent`
    pub parent: u32,
    /// `dentry.d_name.name`
    pub name: u32,
    /// `mount.mnt`, the `struct vfsmount` that paths point to.
    pub mount: u32,
    /// `mount.mnt_parent`
    pub mount_parent: u32,
    /// `mount.mnt_mountpoint`
    pub mountpoint: u32,
    /// `fs_struct.root`: a multiple of 8 below 64.
    pub fs_root: u32,
    /// What is given is no path but the `struct vfsmount` whose root it is.
    pub of_mount: bool,
}

impl PathPlaces {
    const BITS: u32 = 12;

    /// In one word, as [`super::Func::Path`] takes them; `None` if one is too far from the start.
    pub fn packed(self) -> Option<u64> {
        let all = [self.parent, self.name, self.mount, self.mount_parent, self.mountpoint];
        let root = (self.fs_root.is_multiple_of(8) && self.fs_root < 64).then_some(self.fs_root / 8)?;
        all.iter().rev().try_fold(u64::from(root << 1 | u32::from(self.of_mount)), |word, &place| {
            (place < 1 << Self::BITS).then_some(word << Self::BITS | u64::from(place))
        })
    }

    /// From such a word.
    pub fn unpacked(word: u64) -> PathPlaces {
        let place = |number: u32| (word >> (number * Self::BITS)) as u32 & ((1 << Self::BITS) - 1);
        PathPlaces {
            parent: place(0),
            name: place(1),
            mount: place(2),
            mount_parent: place(3),
            mountpoint: place(4),
            fs_root: (place(5) >> 1 & 7) * 8,
            of_mount: place(5) & 1 != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PathPlaces;

    #[test]
    fn places_in_a_word() {
        let places = PathPlaces {
            parent: 24,
            name: 40,
            mount: 32,
            mount_parent: 16,
            mountpoint: 4095,
            fs_root: 24,
            of_mount: false,
        };
        let word = places.packed().expect("all are small");
        assert_eq!(word, 24 | 40 << 12 | 32 << 24 | 16 << 36 | 4095 << 48 | 3 << 61);
        assert_eq!(PathPlaces::unpacked(word), places);
        let mount = PathPlaces { of_mount: true, ..places };
        assert_eq!(mount.packed(), Some(word | 1 << 60));
        assert_eq!(PathPlaces::unpacked(word | 1 << 60), mount);
        for too_far in [
            PathPlaces { name: 4096, ..places },
            PathPlaces { fs_root: 64, ..places },
            PathPlaces { fs_root: 20, ..places },
        ] {
            assert_eq!(too_far.packed(), None);
        }
    }
}
