/* SPDX-License-Identifier: MIT */
/* The local APIC of the calling VP, in x2APIC mode where CPUID has it, else by MMIO (SDM 3A 10). */
#include "guest-kernel/apic.h"

#include "guest-kernel/asm_abi.h"
#include "guest-kernel/cpu.h"

#define CPUID_1_ECX_X2APIC (1u << 21)

/* Registers by their xAPIC offset; the x2APIC MSR is X2APIC_MSR_BASE + offset / 16. */
#define X2APIC_MSR_BASE 0x800
#define APIC_ID         0x20
#define APIC_EOI        0xb0
#define APIC_SVR        0xf0
#define APIC_ISR        0x100 /* of vectors 0 to 31; the others follow */
#define APIC_ICR        0x300
#define APIC_ICR_HIGH   0x310 /* not in x2APIC mode, where the ICR has 64 bits */
#define APIC_LVT_TIMER  0x320
#define APIC_LVT_LINT0  0x350
#define APIC_TIMER_INIT 0x380
#define APIC_TIMER_CUR  0x390
#define APIC_TIMER_DIV  0x3e0

#define SVR_ENABLE         0x100
#define LVT_MASKED         0x10000
#define LVT_TIMER_PERIODIC 0x20000
#define TIMER_DIV_1        0xb

#define ICR_FIXED      0x000
#define ICR_INIT       0x500
#define ICR_SIPI       0x600
#define ICR_BUSY       0x1000 /* xAPIC only */
#define ICR_ASSERT     0x4000
#define ICR_ALL_OTHERS 0xc0000

static void apic_write(const struct apic *a, uint32_t reg, uint32_t val)
{
	if (a->x2apic)
		cpu_wrmsr(X2APIC_MSR_BASE + reg / 16, val);
	else
		*(volatile uint32_t *)(uintptr_t)(XAPIC_BASE + reg) = val;
}

static uint32_t apic_read(const struct apic *a, uint32_t reg)
{
	if (a->x2apic)
		return (uint32_t)cpu_rdmsr(X2APIC_MSR_BASE + reg / 16);
	return *(volatile uint32_t *)(uintptr_t)(XAPIC_BASE + reg);
}

static void send(const struct apic *a, uint32_t apic_id, uint32_t command)
{
	if (a->x2apic) {
		/*
		 * WRMSR to the ICR waits for no store (SDM 3A 10.12.3): the receiver must see ours.
		 */
		cpu_mfence();
		cpu_wrmsr(X2APIC_MSR_BASE + APIC_ICR / 16, (uint64_t)apic_id << 32 | command);
		return;
	}
	apic_write(a, APIC_ICR_HIGH, apic_id << XAPIC_ID_SHIFT);
	apic_write(a, APIC_ICR, command);
	while (apic_read(a, APIC_ICR) & ICR_BUSY)
		cpu_pause();
}

void apic_init(struct apic *a)
{
	a->x2apic = cpu_cpuid(1).ecx & CPUID_1_ECX_X2APIC;
	if (a->x2apic)
		cpu_wrmsr(MSR_APIC_BASE, cpu_rdmsr(MSR_APIC_BASE) | 1u << APIC_BASE_EXTD);
	/*
	 * A loader may have left a PIC that interrupts through LINT0, with vectors that are
	 * exceptions here.
	 */
	apic_write(a, APIC_LVT_LINT0, LVT_MASKED);
	apic_enable(a);
}

void apic_enable(const struct apic *a)
{
	apic_write(a, APIC_SVR, SVR_ENABLE | VECTOR_SPURIOUS);
}

uint32_t apic_read_id(const struct apic *a)
{
	uint64_t id;

	if (!a->x2apic)
		return apic_read(a, APIC_ID) >> XAPIC_ID_SHIFT;
	/* The safe form, as a panic asks too, and the VP's mode may be what went wrong. */
	cpu_rdmsr_safe(MSR_X2APIC_ID, &id);
	return (uint32_t)id;
}

void apic_eoi(const struct apic *a)
{
	apic_write(a, APIC_EOI, 0);
}

bool apic_in_service(const struct apic *a, uint8_t vector)
{
	return apic_read(a, APIC_ISR + vector / 32 * 0x10) >> vector % 32 & 1;
}

void apic_send_init(const struct apic *a, uint32_t apic_id)
{
	send(a, apic_id, ICR_INIT | ICR_ASSERT);
}

void apic_send_sipi(const struct apic *a, uint32_t apic_id)
{
	send(a, apic_id, ICR_SIPI | ICR_ASSERT | TRAMPOLINE_ADDR >> 12);
}

void apic_send_init_others(const struct apic *a)
{
	send(a, 0, ICR_INIT | ICR_ASSERT | ICR_ALL_OTHERS);
}

void apic_send_sipi_others(const struct apic *a)
{
	send(a, 0, ICR_SIPI | ICR_ASSERT | ICR_ALL_OTHERS | TRAMPOLINE_ADDR >> 12);
}

void apic_send_ipi(const struct apic *a, uint32_t apic_id, uint8_t vector)
{
	send(a, apic_id, ICR_FIXED | ICR_ASSERT | vector);
}

void apic_send_ipi_others(const struct apic *a, uint8_t vector)
{
	send(a, 0, ICR_FIXED | ICR_ASSERT | ICR_ALL_OTHERS | vector);
}

static void start_timer(const struct apic *a, uint32_t lvt, uint32_t count)
{
	apic_write(a, APIC_TIMER_DIV, TIMER_DIV_1);
	apic_write(a, APIC_LVT_TIMER, lvt);
	apic_write(a, APIC_TIMER_INIT, count);
}

void apic_timer_start(const struct apic *a, uint32_t count, uint8_t vector)
{
	start_timer(a, LVT_TIMER_PERIODIC | vector, count);
}

void apic_timer_start_once(const struct apic *a, uint32_t count, uint8_t vector)
{
	start_timer(a, vector, count);
}

void apic_timer_start_masked(const struct apic *a, uint32_t count)
{
	start_timer(a, LVT_MASKED, count);
}

uint32_t apic_timer_read(const struct apic *a)
{
	return apic_read(a, APIC_TIMER_CUR);
}
