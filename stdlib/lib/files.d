/*
 * Open files: of any `struct file`, and those of the current process by descriptor. What is no open file has the members
 * of NULL. Paths are those that the current process sees; what lies in no directory (a pipe, a socket) has none.
 */
typedef struct fileinfo {
	string fi_name;
	string fi_dirname;
	string fi_pathname;
	offset_t fi_offset;
	string fi_fs;
	string fi_mount;
	int fi_oflags;
} fileinfo_t;

#pragma D attributes Stable/Stable/Common translator
translator fileinfo_t < struct file *F > {
	fi_name = F == NULL ? "<none>" : stringof(F->f_path.dentry->d_name.name);
	fi_dirname = F == NULL ? "<none>" : dirname(d_path(&F->f_path));
	fi_pathname = F == NULL ? "<none>" : d_path(&F->f_path);
	fi_offset = F == NULL ? 0 : F->f_pos;
	fi_fs = F == NULL ? "<none>" : stringof(F->f_path.mnt->mnt_sb->s_type->name);
	fi_mount = F == NULL ? "<none>" : dtrail_mount_point(F->f_path.mnt);
	fi_oflags = F == NULL ? 0 : F->f_flags;
};

inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (fd < 0 ? NULL : getf(fd));
