/* SPDX-License-Identifier: MIT */
/* MC146818 real-time clock and CMOS RAM core: time of day from the host, no interrupts. */
#ifndef VPUP_DEVICES_RTC_H
#define VPUP_DEVICES_RTC_H

#include <stdint.h>

#define RTC_CMOS_SIZE 128

struct rtc_env {
	int64_t (*now_s)(void *ctx); /* seconds since the epoch, UTC */
	void *ctx;
};

struct rtc {
	struct rtc_env env;
	uint8_t index;
	uint8_t cmos[RTC_CMOS_SIZE];
	int64_t offset_s; /* guest clock - host clock, after the guest set the time */
};

void rtc_init(struct rtc *r, const struct rtc_env *env);

/* The chip's RESET pin: enable bits and index are cleared; time and RAM live on the battery. */
void rtc_reset(struct rtc *r);

/* Offset 0 is the index register (port 0x70), offset 1 the data register (port 0x71). */
uint8_t rtc_read(struct rtc *r, unsigned off);
void rtc_write(struct rtc *r, unsigned off, uint8_t val);

#endif
