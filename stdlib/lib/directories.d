/*
 * The directory that the current process is in, and the one that is its root: where it ends by now, neither.
 */
#pragma D attributes Stable/Stable/Common cwd
#pragma D attributes Stable/Stable/Common root
inline string cwd = d_path(&curthread->fs->pwd);
inline string root = d_path(&curthread->fs->root);
