#!/usr/sbin/dtrace -Zqs
BEGIN { printf("ran"); exit(0); }
