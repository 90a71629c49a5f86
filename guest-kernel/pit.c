/* SPDX-License-Identifier: MIT */
/* The 8254 timer as the reference of last resort for the TSC. */
#include "guest-kernel/pit.h"

#include "guest-kernel/cpu.h"

/*
 * Channel 0 counts on every machine that has an 8254. Channel 2, which a PC's operating system
 * would take, needs the speaker's port 0x61 beside it, and small virtual machines lack that. Nobody
 * sees channel 0's interrupt: LINT0 and the I/O APIC's pins are masked.
 */
#define PIT_HZ       1193182
#define PIT_CHANNEL0 0x40
#define PIT_COMMAND  0x43
#define PIT_CH0_RATE \
	0x34 /* channel 0, both bytes, mode 2: counts down from 65536 again and again */
#define PIT_CH0_LATCH  0x00
#define PIT_INTERVAL   (PIT_HZ / 100)
#define PIT_TRIES      3
#define PIT_STANDSTILL (1u << 24) /* TSC cycles, some ms, after which a counter must have moved */

/* The counter, and TSC readings around the moment when it was latched. */
struct pit_sample {
	uint64_t before;
	uint64_t after;
	uint16_t count;
};

static void read_counter(struct pit_sample *s)
{
	uint8_t low;

	s->before = cpu_rdtsc();
	cpu_outb(PIT_COMMAND, PIT_CH0_LATCH);
	s->after = cpu_rdtsc();
	low = cpu_inb(PIT_CHANNEL0);
	s->count = (uint16_t)(cpu_inb(PIT_CHANNEL0) << 8 | low);
}

/* Waits for at least PIT_INTERVAL counts. Returns kHz, or 0 if the counter does not move. */
static uint64_t measure(void)
{
	struct pit_sample start, end;
	uint64_t least, most;
	uint16_t counts;

	read_counter(&start);
	do {
		read_counter(&end);
		counts = (uint16_t)(start.count - end.count);
		if (counts == 0 && end.after - start.before > PIT_STANDSTILL)
			return 0;
	} while (counts < PIT_INTERVAL);
	least = end.before - start.after;
	most = end.after - start.before;
	return (least + most) / 2 * PIT_HZ / counts / 1000;
}

uint64_t pit_measure_tsc_khz(void)
{
	uint64_t khz, best = 0;
	int i;

	cpu_outb(PIT_COMMAND, PIT_CH0_RATE);
	cpu_outb(PIT_CHANNEL0, 0);
	cpu_outb(PIT_CHANNEL0, 0);
	/*
	 * A VP that is not run for a while may miss a turn of the counter and so find too much,
	 * never too little.
	 */
	for (i = 0; i < PIT_TRIES; i++) {
		khz = measure();
		if (khz == 0)
			return 0;
		if (best == 0 || khz < best)
			best = khz;
	}
	return best;
}
