/* SPDX-License-Identifier: MIT */
/* MC146818 core: the time registers are worked out from the host's clock whenever they are read. */
#include <stdbool.h>
#include <time.h>

#include "devices/rtc.h"

#define INDEX_MASK 0x7f /* bit 7 of port 0x70 masks NMI and is not part of the index */

#define RTC_SECONDS      0x00
#define RTC_MINUTES      0x02
#define RTC_HOURS        0x04
#define RTC_DAY_OF_WEEK  0x06
#define RTC_DAY_OF_MONTH 0x07
#define RTC_MONTH        0x08
#define RTC_YEAR         0x09
#define RTC_REG_A        0x0a
#define RTC_REG_B        0x0b
#define RTC_REG_C        0x0c
#define RTC_REG_D        0x0d
#define RTC_CENTURY      0x32 /* where PC firmware keeps it; FADT CENTURY says so */

#define REG_A_UIP     0x80
#define REG_A_DEFAULT 0x26 /* 32768 Hz, 1024 Hz periodic rate */
#define REG_B_SET     0x80
#define REG_B_PIE     0x40
#define REG_B_AIE     0x20
#define REG_B_UIE     0x10
#define REG_B_SQWE    0x08
#define REG_B_DM      0x04 /* binary, not BCD */
#define REG_B_24H     0x02
#define REG_D_VRT     0x80 /* the battery is good */
#define HOURS_PM      0x80

void rtc_init(struct rtc *r, const struct rtc_env *env)
{
	*r = (struct rtc){.env = *env};
	r->cmos[RTC_REG_A] = REG_A_DEFAULT;
	r->cmos[RTC_REG_B] = REG_B_24H;
	r->cmos[RTC_REG_D] = REG_D_VRT;
}

void rtc_reset(struct rtc *r)
{
	r->index = 0;
	r->cmos[RTC_REG_B] &= ~(REG_B_PIE | REG_B_AIE | REG_B_UIE | REG_B_SQWE);
}

static bool is_time_register(uint8_t reg)
{
	switch (reg) {
	case RTC_SECONDS:
	case RTC_MINUTES:
	case RTC_HOURS:
	case RTC_DAY_OF_WEEK:
	case RTC_DAY_OF_MONTH:
	case RTC_MONTH:
	case RTC_YEAR:
	case RTC_CENTURY:
		return true;
	default:
		return false;
	}
}

static bool is_frozen(const struct rtc *r)
{
	return r->cmos[RTC_REG_B] & REG_B_SET;
}

/* val is 0 to 99. */
static uint8_t encode(const struct rtc *r, int val)
{
	if (r->cmos[RTC_REG_B] & REG_B_DM)
		return val;
	return (val / 10) << 4 | val % 10;
}

static int decode(const struct rtc *r, uint8_t val)
{
	if (r->cmos[RTC_REG_B] & REG_B_DM)
		return val;
	return (val >> 4) * 10 + (val & 0x0f);
}

static uint8_t encode_hours(const struct rtc *r, int hours)
{
	int half_day = hours % 12 ? hours % 12 : 12;

	if (r->cmos[RTC_REG_B] & REG_B_24H)
		return encode(r, hours);
	return encode(r, half_day) | (hours >= 12 ? HOURS_PM : 0);
}

static int decode_hours(const struct rtc *r, uint8_t val)
{
	if (r->cmos[RTC_REG_B] & REG_B_24H)
		return decode(r, val);
	return decode(r, val & ~HOURS_PM) % 12 + (val & HOURS_PM ? 12 : 0);
}

/* Registers from clock. Years are kept modulo 10000, which is all that two pairs of digits hold. */
static void update_registers(struct rtc *r)
{
	time_t now = r->env.now_s(r->env.ctx) + r->offset_s;
	struct tm tm;
	int year;

	if (!gmtime_r(&now, &tm))
		return;
	year = ((tm.tm_year + 1900) % 10000 + 10000) % 10000;

	r->cmos[RTC_SECONDS] = encode(r, tm.tm_sec);
	r->cmos[RTC_MINUTES] = encode(r, tm.tm_min);
	r->cmos[RTC_HOURS] = encode_hours(r, tm.tm_hour);
	r->cmos[RTC_DAY_OF_WEEK] = encode(r, tm.tm_wday + 1);
	r->cmos[RTC_DAY_OF_MONTH] = encode(r, tm.tm_mday);
	r->cmos[RTC_MONTH] = encode(r, tm.tm_mon + 1);
	r->cmos[RTC_YEAR] = encode(r, year % 100);
	r->cmos[RTC_CENTURY] = encode(r, year / 100);
}

/*
 * Clock from registers. timegm() carries what is out of range into the next field, so any bytes give
 * some time within a few months of the year written; the day of the week follows from the date.
 */
static void set_clock(struct rtc *r)
{
	int century = decode(r, r->cmos[RTC_CENTURY]);
	struct tm tm = {
		.tm_sec = decode(r, r->cmos[RTC_SECONDS]),
		.tm_min = decode(r, r->cmos[RTC_MINUTES]),
		.tm_hour = decode_hours(r, r->cmos[RTC_HOURS]),
		.tm_mday = decode(r, r->cmos[RTC_DAY_OF_MONTH]),
		.tm_mon = decode(r, r->cmos[RTC_MONTH]) - 1,
		.tm_year = century * 100 + decode(r, r->cmos[RTC_YEAR]) - 1900,
	};

	r->offset_s = timegm(&tm) - r->env.now_s(r->env.ctx);
}

static void write_time(struct rtc *r, uint8_t val)
{
	if (is_frozen(r)) {
		r->cmos[r->index] = val;
		return;
	}
	update_registers(r);
	r->cmos[r->index] = val;
	set_clock(r);
}

static void write_reg_b(struct rtc *r, uint8_t val)
{
	bool was_frozen = is_frozen(r);

	r->cmos[RTC_REG_B] = val;
	if (!was_frozen && is_frozen(r))
		update_registers(r);
	else if (was_frozen && !is_frozen(r))
		set_clock(r);
}

static void write_data(struct rtc *r, uint8_t val)
{
	switch (r->index) {
	case RTC_REG_A:
		r->cmos[RTC_REG_A] = val & ~REG_A_UIP;
		break;
	case RTC_REG_B:
		write_reg_b(r, val);
		break;
	case RTC_REG_C:
	case RTC_REG_D:
		break;
	default:
		if (is_time_register(r->index))
			write_time(r, val);
		else
			r->cmos[r->index] = val;
		break;
	}
}

uint8_t rtc_read(struct rtc *r, unsigned off)
{
	if (off != 1)
		return 0xff; /* the index register can't be read back */
	if (is_time_register(r->index) && !is_frozen(r))
		update_registers(r);
	return r->cmos[r->index];
}

void rtc_write(struct rtc *r, unsigned off, uint8_t val)
{
	if (off == 0)
		r->index = val & INDEX_MASK;
	else if (off == 1)
		write_data(r, val);
}
