/* SPDX-License-Identifier: MIT */
/* The local APIC of the calling VP, in x2APIC mode where CPUID has it, else by MMIO (SDM 3A 10). */
#ifndef VPUP_GUEST_APIC_H
#define VPUP_GUEST_APIC_H

#include <stdbool.h>
#include <stdint.h>

struct apic {
	bool x2apic;
};

#define XAPIC_ID_MAX 254u /* 255 is the broadcast */

/* Chooses the mode and sets up the boot VP's. */
void apic_init(struct apic *a);

/* Software-enables the calling VP's local APIC, which is in the right mode already. */
void apic_enable(const struct apic *a);

/* The calling VP's ID; never faults. */
uint32_t apic_read_id(const struct apic *a);
void apic_eoi(const struct apic *a);

/* Is an interrupt of this vector waiting for its EOI? */
bool apic_in_service(const struct apic *a, uint8_t vector);

/* To one VP, or to all but the caller. SIPI starts them at TRAMPOLINE_ADDR. */
void apic_send_init(const struct apic *a, uint32_t apic_id);
void apic_send_sipi(const struct apic *a, uint32_t apic_id);
void apic_send_init_others(const struct apic *a);
void apic_send_sipi_others(const struct apic *a);
void apic_send_ipi(const struct apic *a, uint32_t apic_id, uint8_t vector);
void apic_send_ipi_others(const struct apic *a, uint8_t vector);

/*
 * Timer, divider 1: periodic, or one interrupt. A count of 0 stops it; a masked one counts once and
 * interrupts nobody.
 */
void apic_timer_start(const struct apic *a, uint32_t count, uint8_t vector);
void apic_timer_start_once(const struct apic *a, uint32_t count, uint8_t vector);
void apic_timer_start_masked(const struct apic *a, uint32_t count);
uint32_t apic_timer_read(const struct apic *a);

#endif
