/*
 * A program that makes one system call (getpid) with registers of known contents, in the handler of a signal that a
 * page fault gave it. Where it is called from a register says, too: the system call itself leaves the address behind it in
 * rcx and the flags in r11.
 */
#include <signal.h>

static void known(int signal) {
	(void) signal;
	__asm__ volatile(
		"mov %%rsp, %%r14\n"
		"mov $0x0123456789abcdef, %%r15\n"
		"mov $13, %%r13\n"
		"mov $-12, %%r12\n"
		"mov $10, %%r10\n"
		"mov $9, %%r9\n"
		"mov $8, %%r8\n"
		"mov $5, %%rbp\n"
		"mov $0xb, %%rbx\n"
		"mov $0xd1, %%rdi\n"
		"mov $0x51, %%rsi\n"
		"mov $0xd, %%rdx\n"
		"mov $39, %%eax\n"
		"syscall\n"
		"mov $231, %%eax\n"
		"xor %%edi, %%edi\n"
		"syscall\n"
		: : : "memory");
}

int main(void) {
	signal(SIGSEGV, known);
	*(volatile int *) 8 = 1;
	return 1;
}
