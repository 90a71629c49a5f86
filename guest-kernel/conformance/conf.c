/* SPDX-License-Identifier: MIT */
/* What the test bodies share: assertions, MSRs, time, interrupts, work for other VPs. */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/string.h"

#define LINE_MAX    256
#define WAIT_US     1000000
#define LINGER_US   150
#define JOB_WAIT_US 5000000

/* --- lines ------------------------------------------------------------------------------------ */

void conf_flush_text(struct conf *c)
{
	frames_send_tap(&kernel.frames, &c->frame, c->out.len, c->lines);
	c->out.len = 0;
	c->lines = 0;
}

static void line_begin(struct conf *c)
{
	if (c->out.len + LINE_MAX > sizeof(c->text))
		conf_flush_text(c);
}

static void line_end(struct conf *c)
{
	text_add(&c->out, "\n");
	c->lines++;
}

/* The line; its end is the caller's. */
static void add_line(struct conf *c, bool ok, const char *fmt, va_list ap)
{
	const char *line;

	line_begin(c);
	line = c->out.buf + c->out.len;
	text_add(&c->out, "%s %u - %s: ", ok ? "ok" : "not ok", c->passed + c->failed + c->skipped,
		 c->body);
	text_add_v(&c->out, fmt, ap);
	if (!ok)
		console_line("%s", line);
}

static bool add_result(struct conf *c, bool ok, const char *fmt, va_list ap)
{
	*(ok ? &c->passed : &c->failed) += 1;
	add_line(c, ok, fmt, ap);
	line_end(c);
	return ok;
}

bool conf_ok(struct conf *c, bool ok, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_result(c, ok, fmt, ap);
	va_end(ap);
	return ok;
}

bool conf_equal(struct conf *c, uint64_t got, uint64_t want, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!add_result(c, got == want, fmt, ap))
		conf_note(c, "got %lx, wanted %lx", got, want);
	va_end(ap);
	return got == want;
}

bool conf_one_of(struct conf *c, uint64_t got, uint64_t a, uint64_t b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_result(c, got == a || got == b, fmt, ap);
	va_end(ap);
	if (got != a)
		conf_note(c, "got %lx, wanted %lx or %lx", got, a, b);
	return got == a || got == b;
}

bool conf_at_most(struct conf *c, uint64_t got, uint64_t max, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!add_result(c, got <= max, fmt, ap))
		conf_note(c, "got %lu, wanted %lu or less", got, max);
	va_end(ap);
	return got <= max;
}

bool conf_refused(struct conf *c, uint64_t result, const char *fmt, ...)
{
	bool ok = (result & HV_HYPERCALL_RESULT_MASK) != HV_STATUS_SUCCESS;
	va_list ap;

	va_start(ap, fmt);
	if (!add_result(c, ok, fmt, ap))
		conf_note(c, "got %lx", result);
	va_end(ap);
	return ok;
}

void conf_skip(struct conf *c, const char *reason, const char *fmt, ...)
{
	va_list ap;

	c->skipped++;
	va_start(ap, fmt);
	add_line(c, true, fmt, ap);
	va_end(ap);
	text_add(&c->out, " # SKIP %s", reason);
	line_end(c);
}

void conf_note(struct conf *c, const char *fmt, ...)
{
	va_list ap;

	line_begin(c);
	text_add(&c->out, "# %s: ", c->body);
	va_start(ap, fmt);
	text_add_v(&c->out, fmt, ap);
	va_end(ap);
	line_end(c);
}

/* --- MSRs ------------------------------------------------------------------------------------- */

uint64_t conf_read(struct conf *c, uint32_t msr)
{
	uint64_t val;
	int vector = cpu_rdmsr_safe(msr, &val);

	if (vector)
		conf_ok(c, false, "reading MSR %x gave exception %u", msr, (unsigned)vector);
	return val;
}

void conf_write(struct conf *c, uint32_t msr, uint64_t val)
{
	int vector = cpu_wrmsr_safe(msr, val);

	if (vector)
		conf_ok(c, false, "writing %lx to MSR %x gave exception %u", val, msr,
			(unsigned)vector);
}

void conf_write_faults(struct conf *c, uint32_t msr, uint64_t val, const char *what)
{
	conf_equal(c, (uint64_t)cpu_wrmsr_safe(msr, val), TRAP_GP, "%s: #GP", what);
}

void conf_write_works(struct conf *c, uint32_t msr, uint64_t val, const char *what)
{
	conf_equal(c, (uint64_t)cpu_wrmsr_safe(msr, val), 0, "%s", what);
}

/* --- time and interrupts ---------------------------------------------------------------------- */

uint64_t conf_tsc_of_us(uint64_t us)
{
	return kernel.clock.tsc_khz * us / 1000;
}

void conf_delay_us(uint32_t us)
{
	uint64_t start = cpu_rdtsc(), cycles = conf_tsc_of_us(us);

	while (cpu_rdtsc() - start < cycles)
		cpu_pause();
}

uint64_t conf_ref_time(void)
{
	uint64_t val;

	cpu_rdmsr_safe(HV_X64_MSR_TIME_REF_COUNT, &val);
	return val;
}

/* 0 on the boot VP; the others know theirs from their stacks, which are part of them. */
static uint32_t self_index(void)
{
	uint64_t sp = (uint64_t)__builtin_frame_address(0);
	uint64_t first = (uint64_t)kernel.vp_table.vps;

	if (sp < first || sp >= (uint64_t)kernel.vp_table.next)
		return 0;
	return (uint32_t)((sp - first) / VP_SIZE);
}

void conf_interrupt(struct conf *c, uint64_t vector)
{
	uint32_t vp = self_index();

	if (vp > 1)
		return;
	c->irqs[vp].tsc[vector] = cpu_rdtsc();
	__atomic_add_fetch(&c->irqs[vp].count[vector], 1, __ATOMIC_RELEASE);
}

uint32_t conf_irqs(const struct conf *c, unsigned vp, unsigned n)
{
	return __atomic_load_n(&c->irqs[vp].count[CONF_VECTOR_N(n)], __ATOMIC_ACQUIRE);
}

void conf_irqs_clear(struct conf *c)
{
	memset(c->irqs, 0, sizeof(c->irqs));
	cpu_barrier();
}

uint32_t conf_irqs_wait(const struct conf *c, unsigned vp, unsigned n, uint32_t count)
{
	uint64_t start = cpu_rdtsc(), cycles = conf_tsc_of_us(WAIT_US);

	while (conf_irqs(c, vp, n) < count && cpu_rdtsc() - start < cycles)
		cpu_pause();
	conf_delay_us(LINGER_US);
	return conf_irqs(c, vp, n);
}

/* --- other VPs -------------------------------------------------------------------------------- */

void conf_begin_on_vp(struct conf *c, uint32_t index, void (*fn)(void *arg), void *arg)
{
	struct conf_job *j = &c->job;

	j->want = __atomic_load_n(&j->done, __ATOMIC_RELAXED) + 1;
	j->fn = fn;
	j->arg = arg;
	__atomic_store_n(&j->vp, index, __ATOMIC_RELEASE);
	apic_send_ipi(&kernel.apic, kernel.vp_table.vps[index].apic_id, VECTOR_WAKE);
}

bool conf_end_on_vp(struct conf *c, uint32_t index)
{
	uint64_t start = cpu_rdtsc(), cycles = conf_tsc_of_us(JOB_WAIT_US);

	while (__atomic_load_n(&c->job.done, __ATOMIC_ACQUIRE) != c->job.want) {
		if (cpu_rdtsc() - start > cycles)
			return conf_ok(c, false, "VP %u does not answer", index);
		cpu_pause();
	}
	return true;
}

bool conf_on_vp(struct conf *c, uint32_t index, void (*fn)(void *arg), void *arg)
{
	conf_begin_on_vp(c, index, fn, arg);
	return conf_end_on_vp(c, index);
}

_Noreturn void conf_serve(struct vp *vp)
{
	struct conf_job *j = &kernel.conf.job;

	for (;;) {
		cpu_cli();
		if (__atomic_load_n(&j->vp, __ATOMIC_ACQUIRE) != vp->index) {
			cpu_sti_hlt();
			continue;
		}
		cpu_sti();
		j->vp = 0;
		j->fn(j->arg);
		__atomic_add_fetch(&j->done, 1, __ATOMIC_RELEASE);
	}
}
