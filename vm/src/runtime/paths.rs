//! Paths of files from the kernel's memory, by the walk of [`dtrail_lang::builtins::paths`].

use dtrail_lang::builtins::paths::{DEPTH, MORE, PATH_DENTRY, PathPlaces, TURNS};
use dtrail_lang::ir::AddrSpace;

use super::Run;
use crate::engine::Input;
use crate::fault::{FaultKind, Raised};

impl Run<'_> {
    /// The text of the `struct path` at `addr` for a process that keeps where its root is at `root`. If anything on the way cannot
    /// be read, `addr` is no path.
    pub(super) fn path(&mut self, addr: u64, root: u64, places: u64) -> u64 {
        let mut text = std::mem::take(&mut self.world.key);
        text.clear();
        let word = match self.walk(addr, root, PathPlaces::unpacked(places), &mut text) {
            Ok(()) => {
                let strsize = self.world.strsize;
                let word = self.world.arena.push(&text[..text.len().min(strsize)]);
                self.filed(word)
            }
            Err(Raised { kind: FaultKind::BadAddr, .. }) => self.raise(Raised::new(FaultKind::BadAddr, addr)),
            Err(raised) => self.raise(raised),
        };
        self.world.key = text;
        word
    }

    fn walk(&mut self, addr: u64, root: u64, places: PathPlaces, text: &mut Vec<u8>) -> Result<(), Raised> {
        let at = |base: u64, place: u32| base.wrapping_add(u64::from(place));
        let (mut mount, mut entry) = match places.of_mount {
            true => (addr, self.pointer(addr)?),
            false => (self.pointer(addr)?, self.pointer(at(addr, PATH_DENTRY))?),
        };
        // A process that ends has no root any more.
        let top = self.pointer(root).and_then(|files| {
            let path = at(files, places.fs_root);
            Ok((self.pointer(path)?, self.pointer(at(path, PATH_DENTRY))?))
        });
        let top = top.unwrap_or((0, 0));
        let (mut names, mut count, mut complete) = ([0; DEPTH as usize], 0, false);
        for _ in 0..TURNS {
            if (mount, entry) == top {
                complete = true;
                break;
            }
            if entry == self.pointer(mount)? {
                let own = mount.wrapping_sub(u64::from(places.mount));
                let parent = self.pointer(at(own, places.mount_parent))?;
                if parent == own {
                    complete = true;
                    break;
                }
                entry = self.pointer(at(own, places.mountpoint))?;
                mount = at(parent, places.mount);
                continue;
            }
            let parent = self.pointer(at(entry, places.parent))?;
            if parent == entry {
                if count == 0 {
                    let name = self.pointer(at(entry, places.name))?;
                    return self.name(name, text);
                }
                complete = true;
                break;
            }
            let Some(place) = names.get_mut(count) else { break };
            *place = entry;
            count += 1;
            entry = parent;
        }
        if !complete {
            text.extend_from_slice(MORE);
        } else if count == 0 {
            text.push(b'/');
        }
        for &entry in names[..count].iter().rev() {
            if text.len() >= self.world.strsize {
                break;
            }
            text.push(b'/');
            let name = self.pointer(at(entry, places.name))?;
            self.name(name, text)?;
        }
        Ok(())
    }

    fn pointer(&mut self, addr: u64) -> Result<u64, Raised> {
        let mut word = [0; 8];
        self.read(AddrSpace::ByAddress, addr, &mut word)?;
        Ok(u64::from_le_bytes(word))
    }

    fn name(&mut self, addr: u64, text: &mut Vec<u8>) -> Result<(), Raised> {
        let limit = self.world.strsize;
        match &mut self.input {
            Input::Live(context) => context.read_string(AddrSpace::ByAddress, addr, limit, text),
            Input::Record { .. } => {
                self.bug("a path in user code");
                Ok(())
            }
        }
    }
}
