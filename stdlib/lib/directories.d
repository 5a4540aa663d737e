/*
 * The directory that the current process is in, and the one that is its root: where it ends by now, neither.
 */
inline string cwd = d_path(&curthread->fs->pwd);
inline string root = d_path(&curthread->fs->root);
