/* SPDX-License-Identifier: MIT */
/* Every instruction that C can't express, one function each. */
#ifndef VPUP_GUEST_CPU_H
#define VPUP_GUEST_CPU_H

#include <stddef.h>
#include <stdint.h>

/* Operand of LGDT and LIDT in 64-bit mode */
struct cpu_table_ptr {
	uint16_t limit;
	uint64_t base;
} __attribute__((packed));

struct cpu_cpuid {
	uint32_t eax, ebx, ecx, edx;
};

static inline uint8_t cpu_inb(uint16_t port)
{
	uint8_t val;

	asm volatile("inb %w1, %b0" : "=a"(val) : "Nd"(port));
	return val;
}

static inline uint32_t cpu_inl(uint16_t port)
{
	uint32_t val;

	asm volatile("inl %w1, %0" : "=a"(val) : "Nd"(port));
	return val;
}

static inline void cpu_outb(uint16_t port, uint8_t val)
{
	asm volatile("outb %b0, %w1" : : "a"(val), "Nd"(port) : "memory");
}

static inline void cpu_outl(uint16_t port, uint32_t val)
{
	asm volatile("outl %0, %w1" : : "a"(val), "Nd"(port) : "memory");
}

static inline void cpu_rep_outsb(uint16_t port, const void *data, size_t size)
{
	asm volatile("rep outsb" : "+S"(data), "+c"(size) : "d"(port) : "memory");
}

/* These return the address behind the last byte written. */

static inline void *cpu_rep_movsb(void *dst, const void *src, size_t bytes)
{
	asm volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(bytes) : : "memory");
	return dst;
}

static inline void *cpu_rep_movsq(void *dst, const void *src, size_t words)
{
	asm volatile("rep movsq" : "+D"(dst), "+S"(src), "+c"(words) : : "memory");
	return dst;
}

static inline void *cpu_rep_stosb(void *dst, uint8_t val, size_t bytes)
{
	asm volatile("rep stosb" : "+D"(dst), "+c"(bytes) : "a"(val) : "memory");
	return dst;
}

static inline void *cpu_rep_stosq(void *dst, uint64_t val, size_t words)
{
	asm volatile("rep stosq" : "+D"(dst), "+c"(words) : "a"(val) : "memory");
	return dst;
}

static inline uint64_t cpu_rdtsc(void)
{
	uint32_t lo, hi;

	asm volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

/* The same without the instructions that put both halves together. */
static inline void cpu_rdtsc_to(uint64_t *out)
{
	typedef uint32_t __attribute__((may_alias)) half_t;
	half_t *half = (half_t *)out;

	asm volatile("rdtsc\n\tmovl %%eax, %0\n\tmovl %%edx, %1"
		     : "=m"(half[0]), "=m"(half[1])
		     :
		     : "eax", "edx");
}

static inline struct cpu_cpuid cpu_cpuid_sub(uint32_t leaf, uint32_t sub)
{
	struct cpu_cpuid r;

	asm volatile("cpuid"
		     : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
		     : "0"(leaf), "2"(sub));
	return r;
}

static inline struct cpu_cpuid cpu_cpuid(uint32_t leaf)
{
	return cpu_cpuid_sub(leaf, 0);
}

static inline uint64_t cpu_rdmsr(uint32_t msr)
{
	uint32_t lo, hi;

	asm volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr) : "memory");
	return (uint64_t)hi << 32 | lo;
}

static inline void cpu_wrmsr(uint32_t msr, uint64_t val)
{
	asm volatile("wrmsr"
		     :
		     : "c"(msr), "a"((uint32_t)val), "d"((uint32_t)(val >> 32))
		     : "memory");
}

/* `count` reads, not 0: the very loop that vmm/bare_exit.c has in machine code. */
static inline void cpu_rdmsr_loop(uint32_t msr, uint32_t count)
{
	asm volatile("1:\trdmsr\n\tdecl %0\n\tjnz 1b"
		     : "+b"(count)
		     : "c"(msr)
		     : "eax", "edx", "memory", "cc");
}

static inline void cpu_lgdt(const struct cpu_table_ptr *p)
{
	asm volatile("lgdt %0" : : "m"(*p));
}

static inline void cpu_lidt(const struct cpu_table_ptr *p)
{
	asm volatile("lidt %0" : : "m"(*p));
}

static inline void cpu_ltr(uint16_t selector)
{
	asm volatile("ltr %0" : : "r"(selector) : "memory");
}

static inline uint64_t cpu_read_cr2(void)
{
	uint64_t val;

	asm volatile("movq %%cr2, %0" : "=r"(val));
	return val;
}

static inline uint64_t cpu_read_cr0(void)
{
	uint64_t val;

	asm volatile("movq %%cr0, %0" : "=r"(val));
	return val;
}

static inline uint64_t cpu_read_cr3(void)
{
	uint64_t val;

	asm volatile("movq %%cr3, %0" : "=r"(val));
	return val;
}

static inline uint64_t cpu_read_cr4(void)
{
	uint64_t val;

	asm volatile("movq %%cr4, %0" : "=r"(val));
	return val;
}

static inline void cpu_write_cr4(uint64_t val)
{
	asm volatile("movq %0, %%cr4" : : "r"(val) : "memory");
}

/* 96 bytes. The compiler uses none of these registers. CR4.OSFXSR must be set. */
static inline void cpu_load_xmm0_5(const void *p)
{
	asm volatile("movups (%0), %%xmm0\n\t"
		     "movups 16(%0), %%xmm1\n\t"
		     "movups 32(%0), %%xmm2\n\t"
		     "movups 48(%0), %%xmm3\n\t"
		     "movups 64(%0), %%xmm4\n\t"
		     "movups 80(%0), %%xmm5"
		     :
		     : "r"(p)
		     : "memory");
}

static inline void cpu_cli(void)
{
	asm volatile("cli" : : : "memory");
}

static inline void cpu_sti(void)
{
	asm volatile("sti" : : : "memory");
}

/* STI holds interrupts back for one instruction: none can slip in before the HLT. */
static inline void cpu_sti_hlt(void)
{
	asm volatile("sti\n\thlt" : : : "memory");
}

static inline void cpu_hlt(void)
{
	asm volatile("hlt" : : : "memory");
}

/* Sleeps until an interrupt was served; interrupts are off before and after. */
static inline void cpu_sleep(void)
{
	cpu_sti_hlt();
	cpu_cli();
}

static inline void cpu_pause(void)
{
	asm volatile("pause" : : : "memory");
}

static inline void cpu_mfence(void)
{
	asm volatile("mfence" : : : "memory");
}

/* The compiler moves no access to memory across this. */
static inline void cpu_barrier(void)
{
	asm volatile("" : : : "memory");
}

static inline void cpu_int3(void)
{
	asm volatile("int3" : : : "memory");
}

/*
 * Instructions that may fault. INSN is the text of one instruction; ESI must be an output of the
 * asm statement. Afterwards ESI is 0, or the vector of the exception (so not for #DE, which is
 * vector 0), and the instruction was skipped: trap_handle() finds it in the section .ex_table.
 */
#define CPU_SAFE(insn)                    \
	"xorl %%esi, %%esi\n"             \
	"1:\t" insn "\n"                  \
	"2:\n"                            \
	".pushsection .ex_table, \"a\"\n" \
	".quad 1b, 2b\n"                  \
	".popsection\n"

/* As cpu_rdmsr(); returns 0, or the vector of the exception with *val zero. */
static inline int cpu_rdmsr_safe(uint32_t msr, uint64_t *val)
{
	uint32_t lo, hi;
	int vector;

	asm volatile(CPU_SAFE("rdmsr")
		     : "=a"(lo), "=d"(hi), "=&S"(vector)
		     : "c"(msr), "0"(0), "1"(0)
		     : "memory");
	*val = (uint64_t)hi << 32 | lo;
	return vector;
}

/* As cpu_wrmsr(); returns 0, or the vector of the exception. */
static inline int cpu_wrmsr_safe(uint32_t msr, uint64_t val)
{
	int vector;

	asm volatile(CPU_SAFE("wrmsr")
		     : "=&S"(vector)
		     : "c"(msr), "a"((uint32_t)val), "d"((uint32_t)(val >> 32))
		     : "memory");
	return vector;
}

/*
 * Calls the Hyper-V hypercall page at `page` with the control word and both inputs of a fast call
 * (TLFS, x64 hypercall inputs). Returns the result value.
 */
static inline uint64_t cpu_call_hypercall_page(const void *page, uint64_t control, uint64_t input0,
					       uint64_t input1)
{
	register uint64_t r8 asm("r8") = input1;
	uint64_t result;

	asm volatile("call *%[page]"
		     : "=a"(result), "+c"(control), "+d"(input0), "+r"(r8)
		     : [page] "r"(page)
		     : "memory", "cc", "r9", "r10", "r11");
	return result;
}

#endif
