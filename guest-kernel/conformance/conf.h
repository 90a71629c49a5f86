/* SPDX-License-Identifier: MIT */
/*
 * Conformance of the hypervisor: bodies that test one part of Hyper-V's interface each, and what
 * they share. What has to be there and what must be refused follows from CPUID, so the same bodies
 * test any implementation.
 */
#ifndef VPUP_GUEST_CONFORMANCE_CONF_H
#define VPUP_GUEST_CONFORMANCE_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "guest-kernel/abi/trace.h"
#include "guest-kernel/asm_abi.h"
#include "guest-kernel/conformance/snapshot.h"
#include "guest-kernel/cpu.h"
#include "guest-kernel/text.h"
#include "hyperv/hv_defs.h"

#define CONF_TEXT_MAX 32768
#define CONF_PAGES    6
#define TRAP_UD       6
#define TRAP_GP       13

struct vp;

/* Interrupts that one VP took; written by its handler. */
struct conf_irqs {
	uint32_t count[VECTORS];
	uint64_t tsc[VECTORS]; /* of the last one */
};

/* Work for another VP. */
struct conf_job {
	void (*fn)(void *arg);
	void *arg;
	uint32_t vp;   /* index; 0, the boot VP: none */
	uint32_t done; /* counted up... */
	uint32_t want; /* ...to this */
};

struct conf {
	struct trace_frame frame; /* of text, which follows it */
	char text[CONF_TEXT_MAX]; /* lines that were not sent yet */
	struct text out;
	uint32_t lines; /* in text */

	const char *body; /* the one that runs */
	uint32_t passed, failed, skipped;

	/* CPUID */
	uint32_t max_leaf;
	struct cpu_cpuid features; /* HYPERV_CPUID_FEATURES */
	struct cpu_cpuid hints;    /* HYPERV_CPUID_ENLIGHTMENT_INFO */

	struct conf_snapshot snapshot;
	const uint8_t *call_page; /* NULL: hypercalls can't be made */
	const char *no_calls;     /* why */
	uint64_t call_fault;      /* vector of an exception in the page */
	bool others_run;          /* all VPs are up, and take jobs */
	uint8_t auto_eoi_vector;  /* interrupts of this vector need no EOI; 0: none */

	struct conf_irqs irqs[2]; /* boot VP, VP 1 */
	struct conf_job job;

	_Alignas(HV_HYP_PAGE_SIZE) uint8_t page[CONF_PAGES][HV_HYP_PAGE_SIZE];
};

/* What is reserved for tests: these vectors are counted in conf.irqs and EOIed. */
#define CONF_VECTOR      (VECTOR_WAKE + 1)
#define CONF_VECTORS     (VECTOR_SPURIOUS - CONF_VECTOR)
#define CONF_VECTOR_N(n) (CONF_VECTOR + (n))

enum conf_needs {
	CONF_CALLS = 1,  /* hypercalls can be made */
	CONF_VP1 = 2,    /* there is a second VP */
	CONF_BEFORE = 4, /* it does not run yet: before the usual bring-up */
};

struct conf_body {
	void (*fn)(struct conf *c);
	bool (*supported)(const struct conf *c); /* NULL: always */
	unsigned needs;                          /* enum conf_needs */
};

/* The bodies, in the files that are named after them. */
void conf_cpuid(struct conf *c);
void conf_msr(struct conf *c);
void conf_overlay(struct conf *c);
void conf_hypercall(struct conf *c);
void conf_privilege(struct conf *c);
void conf_time(struct conf *c);
void conf_synic(struct conf *c);
void conf_message(struct conf *c);
void conf_connection(struct conf *c);
void conf_post(struct conf *c);
void conf_signal(struct conf *c);
void conf_bad_input(struct conf *c);
void conf_stimer(struct conf *c);
void conf_lateness(struct conf *c);
void conf_start_vp(struct conf *c);
void conf_ipi(struct conf *c);
void conf_flush(struct conf *c);
void conf_vp_registers(struct conf *c);
void conf_crash(struct conf *c);
void conf_assist(struct conf *c);
void conf_tsc_invariant(struct conf *c);
void conf_small_calls(struct conf *c);

/*
 * One assertion, one line: its name is the body's and fmt. conf_equal() tells both values when they
 * differ. Both return whether it passed.
 */
__attribute__((format(printf, 3, 4))) bool conf_ok(struct conf *c, bool ok, const char *fmt, ...);
__attribute__((format(printf, 4, 5))) bool conf_equal(struct conf *c, uint64_t got, uint64_t want,
						      const char *fmt, ...);

/*
 * The same where sources disagree: got has to be a or b. A comment tells which it was if it is not
 * the first. Names say what is tested and never hold what was found, so that runs can be compared.
 */
__attribute__((format(printf, 5, 6))) bool conf_one_of(struct conf *c, uint64_t got, uint64_t a,
						       uint64_t b, const char *fmt, ...);

/* At most max; a comment tells both when it is not. */
__attribute__((format(printf, 4, 5))) bool conf_at_most(struct conf *c, uint64_t got, uint64_t max,
							const char *fmt, ...);

/* A hypercall that has to fail, whatever the status. */
__attribute__((format(printf, 3, 4))) bool conf_refused(struct conf *c, uint64_t result,
							const char *fmt, ...);

/* For what could not be tested. */
__attribute__((format(printf, 3, 4))) void conf_skip(struct conf *c, const char *reason,
						     const char *fmt, ...);

/* A comment: something measured, or which of two legal readings was met. */
__attribute__((format(printf, 2, 3))) void conf_note(struct conf *c, const char *fmt, ...);

/* Hands the lines over to the host. */
void conf_flush_text(struct conf *c);

static inline bool conf_has_eax(const struct conf *c, uint32_t bits)
{
	return (c->features.eax & bits) == bits;
}

static inline bool conf_has_ebx(const struct conf *c, uint32_t bits)
{
	return (c->features.ebx & bits) == bits;
}

static inline bool conf_has_edx(const struct conf *c, uint32_t bits)
{
	return (c->features.edx & bits) == bits;
}

static inline bool conf_has_hint(const struct conf *c, uint32_t bits)
{
	return (c->hints.eax & bits) == bits;
}

/* Whether HvCallNotifyLongSpinWait is offered. */
static inline bool conf_has_spin_wait(const struct conf *c)
{
	return c->hints.ebx != 0 && c->hints.ebx != HV_SPIN_RETRY_NEVER_NOTIFY;
}

/* --- MSRs ------------------------------------------------------------------------------------- */

/* The value; 0 after a fault, which then counts as a failure. */
uint64_t conf_read(struct conf *c, uint32_t msr);
void conf_write(struct conf *c, uint32_t msr, uint64_t val);

/* One assertion: the access faults with #GP, or it does not. */
void conf_write_faults(struct conf *c, uint32_t msr, uint64_t val, const char *what);
void conf_write_works(struct conf *c, uint32_t msr, uint64_t val, const char *what);

/* --- hypercalls (call.c) ---------------------------------------------------------------------- */

/* Registers around a hypercall, in the order that conf_call_page() knows. */
struct conf_regs {
	uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
};

/* In call.S: loads all registers but RSP from r, calls page, and stores them to r. */
void conf_call_page(const void *page, struct conf_regs *r);

/* The result value, or CONF_CALL_UD after #UD (which is no result: the lower 16 bits are status). */
#define CONF_CALL_UD (~0ull)
uint64_t conf_call(struct conf *c, uint64_t control, uint64_t rdx, uint64_t r8);

/* The same with input and output in memory. */
uint64_t conf_call_memory(struct conf *c, uint64_t control, const void *in, const void *out);

/* Control words */
#define CONF_FAST(code) ((code) | HV_HYPERCALL_FAST_BIT)
#define CONF_REP(code, reps, start)                                  \
	((code) | (uint64_t)(reps) << HV_HYPERCALL_REP_COMP_OFFSET | \
	 (uint64_t)(start) << HV_HYPERCALL_REP_START_OFFSET)

/* The result value of a list call of which `reps` elements were done. */
static inline uint64_t conf_result(uint32_t status, uint32_t reps)
{
	return status | (uint64_t)reps << HV_HYPERCALL_REP_COMP_OFFSET;
}

/* XMM0 to XMM5 for a fast call; leaves them changed. Turns SSE on for the VP. */
void conf_load_xmm(const uint64_t qword[12]);

/* --- time and interrupts ---------------------------------------------------------------------- */

void conf_delay_us(uint32_t us);
uint64_t conf_tsc_of_us(uint64_t us);

/* Reference time from its MSR. */
uint64_t conf_ref_time(void);

/* How many interrupts of the nth test vector the VP took (0: boot VP, 1). */
uint32_t conf_irqs(const struct conf *c, unsigned vp, unsigned n);

/* Sets the counters of both VPs to zero. */
void conf_irqs_clear(struct conf *c);

/*
 * Waits on the boot VP until the VP took `count` interrupts of the nth test vector, at most a second,
 * then a little longer for one too many. Returns how many came.
 */
uint32_t conf_irqs_wait(const struct conf *c, unsigned vp, unsigned n, uint32_t count);

/* --- other VPs -------------------------------------------------------------------------------- */

/*
 * Has VP `index` call fn with interrupts on, and waits for it. Returns false if it does not come
 * back within 5 s, which counts as a failure.
 */
bool conf_on_vp(struct conf *c, uint32_t index, void (*fn)(void *arg), void *arg);

/* The same in two parts: what stands between them runs beside fn. */
void conf_begin_on_vp(struct conf *c, uint32_t index, void (*fn)(void *arg), void *arg);
bool conf_end_on_vp(struct conf *c, uint32_t index);

/* Called by a secondary VP that is online, when tests were asked for. */
_Noreturn void conf_serve(struct vp *vp);

/* --- the guest's other parts call these ------------------------------------------------------- */

/* Before anything touches a Hyper-V MSR. */
void conf_prepare(struct conf *c);

/* Refuses test names that do not exist. */
void conf_check_names(const char *list);

/* Lines are about `body` from now on; finds out what the hypervisor offers. */
void conf_begin(struct conf *c, const char *body);

/* Runs the tests of options.test and ends the VM. */
_Noreturn void conf_run(struct conf *c);

/* One of the test vectors arrived. */
void conf_interrupt(struct conf *c, uint64_t vector);

/* Was this exception one that a hypercall's trap raised? Then it is taken back and noted. */
struct trap_frame;
bool conf_take_fault(struct conf *c, struct trap_frame *f);

#endif
