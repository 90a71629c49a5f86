/* SPDX-License-Identifier: MIT */
/* What happens on exceptions and interrupts. */
#include "guest-kernel/trap.h"

#include "guest-kernel/apic.h"
#include "guest-kernel/asm_abi.h"
#include "guest-kernel/console.h"
#include "guest-kernel/cpu.h"
#include "guest-kernel/kernel.h"
#include "guest-kernel/shutdown.h"

#include <stdbool.h>

#define TRAP_NMI          2
#define TRAP_DOUBLE_FAULT 8
#define PANIC_NOBODY      0

struct ex_entry {
	uint64_t insn;
	uint64_t resume;
};

extern const struct ex_entry ex_table_start[], ex_table_end[]; /* guest.ld */

static void serve_interrupt(uint64_t vector)
{
	const struct conf *c = &kernel.conf;

	if (vector == VECTOR_TICK)
		tick_interrupt(&kernel.tick);
	else if (vector >= CONF_VECTOR)
		conf_interrupt(&kernel.conf, vector);
	if (vector != VECTOR_SPURIOUS && vector != c->auto_eoi_vector)
		apic_eoi(&kernel.apic);
}

static _Noreturn void panic(const struct trap_frame *f)
{
	uint32_t apic_id = apic_read_id(&kernel.apic), self = apic_id + 1, expected = PANIC_NOBODY;
	bool first = __atomic_compare_exchange_n(&kernel.panic_owner, &expected, self, false,
						 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);

	/*
	 * Several VPs may fault at once: one reports. If its report faults too, nothing is left to
	 * try.
	 */
	while (!first && expected != self)
		cpu_hlt();
	if (first)
		console_line("panic: exception %lu, error %lx, rip %lx, cr2 %lx, rsp %lx, cs %lx, "
			     "APIC ID %u",
			     f->vector, f->error_code, f->rip, cpu_read_cr2(), f->rsp, f->cs,
			     apic_id);
	guest_exit(GUEST_EXIT_PANIC);
}

void trap_handle(struct trap_frame *f)
{
	const struct ex_entry *e;

	if (f->vector >= TRAP_VECTORS) {
		serve_interrupt(f->vector);
		return;
	}
	for (e = ex_table_start; e < ex_table_end; e++) {
		if (e->insn == f->rip && f->vector != TRAP_NMI && f->vector != TRAP_DOUBLE_FAULT) {
			f->rsi = f->vector;
			f->rip = e->resume;
			return;
		}
	}
	if (!conf_take_fault(&kernel.conf, f))
		panic(f);
}
