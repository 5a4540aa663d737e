/* Inlines that double each other stop where they come to too much. */
inline int a0 = pid;
inline int a1 = a0 + a0;
inline int a2 = a1 + a1;
inline int a3 = a2 + a2;
inline int a4 = a3 + a3;
inline int a5 = a4 + a4;
inline int a6 = a5 + a5;
inline int a7 = a6 + a6;
inline int a8 = a7 + a7;
inline int a9 = a8 + a8;
inline int b0 = a9 + a9;
inline int b1 = b0 + b0;
inline int b2 = b1 + b1;
inline int b3 = b2 + b2;
inline int b4 = b3 + b3;

BEGIN
{
	trace(b4);
}
