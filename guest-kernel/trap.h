/* SPDX-License-Identifier: MIT */
/* What happens on exceptions and interrupts. */
#ifndef VPUP_GUEST_TRAP_H
#define VPUP_GUEST_TRAP_H

#include <stdint.h>

#include "guest-kernel/cpu.h"

/* What traps.S leaves on the stack, lowest address first. */
struct trap_frame {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
	uint64_t rdi, rsi, rbp, rbx, rdx, rcx, rax;
	uint64_t vector;
	uint64_t error_code; /* 0 where the CPU pushes none */
	uint64_t rip, cs, rflags, rsp, ss;
};

/* Of the interrupt descriptor table, which all VPs share; in traps.S. */
extern const struct cpu_table_ptr idtr;

/*
 * Called by traps.S. Interrupts are served; an exception in an instruction that .ex_table names is
 * skipped with its vector in RSI (see CPU_SAFE()); any other prints where it was and ends the VM.
 */
void trap_handle(struct trap_frame *f);

#endif
