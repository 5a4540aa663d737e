/* A probe named by its function, or by its module. */
read:entry { printf("a "); }
:vmlinux:write:entry { printf("b "); }
::read:return { printf("c "); }
vmlinux::entry { printf("d "); }
