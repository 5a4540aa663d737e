/* @@ args: -q -x amin=Evolving/Evolving/Common */
/* The data of curthread is Private. */
BEGIN { this->t = curthread; exit(0); }
