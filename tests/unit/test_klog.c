/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/klog.c, on lines as Debian's 6.1 and 6.12 logged them. */
#include <check.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/klog.h"
#include "vmm/metrics.h"

static const char log_6_1[] =
	"[    0.000000] Linux version 6.1.0-57-cloud-amd64 (debian-kernel@lists.debian.org)\r\n"
	"[    1.922841] Calibrating delay loop (skipped), value calculated using timer frequency.. "
	"4890.86 BogoMIPS (lpj=9781724)\r\n"
	"[    2.598575] smp: Bringing up secondary CPUs ...\r\n"
	"[    2.608059] x86: Booting SMP configuration:\r\n"
	"[    2.612799] .... node  #0, CPUs:      #1\r\n"
	"[    2.726640] smp: Brought up 1 node, 2 CPUs\r\n"
	"[    2.736729] smpboot: Total of 2 processors activated (10915.37 BogoMIPS)\r\n"
	"[    7.519809] Run /init as init process\r\n";

static const char log_6_12[] =
	"[    2.064632] Calibrating delay loop (skipped) preset value.. 4890.86 BogoMIPS "
	"(lpj=9781720)\n"
	"[    2.199716] smp: Bringing up secondary CPUs ...\n"
	"[    2.214504] smpboot: x86: Booting SMP configuration:\n"
	"[    2.376927] smp: Brought up 4 nodes, 16 CPUs\n"
	"[    2.381160] smpboot: Total of 16 processors activated (78253.76 BogoMIPS)\n";

static struct klog k;
static struct klog_line line;

static void teardown(void)
{
	klog_fini(&k);
}

static void push(const char *text, uint64_t tsc)
{
	klog_push(&k, &line, (const uint8_t *)text, strlen(text), tsc);
}

START_TEST(a_log_of_6_1)
{
	uint64_t us;

	push(log_6_1, 1000);
	ck_assert(klog_bringup_us(&k, &us));
	ck_assert_uint_eq(us, 2726640 - 2598575);
	ck_assert_uint_eq(k.nodes, 1);
	ck_assert_uint_eq(k.cpus, 2);
	ck_assert_uint_eq(k.lpj, 9781724);
	ck_assert_int_eq(k.lpj_kind, KLOG_LPJ_TIMER);
	ck_assert_uint_eq(klog_hz(&k), 250);
	ck_assert_double_eq(k.bogomips_sum, 10915.37);
	ck_assert_uint_eq(k.mark[KLOG_SMP_END].host_tsc, 1000);
	ck_assert_uint_eq(k.mark[KLOG_INIT].guest_us, 7519809);
}
END_TEST

START_TEST(a_log_of_6_12)
{
	uint64_t us;

	push(log_6_12, 1);
	ck_assert(klog_bringup_us(&k, &us));
	ck_assert_uint_eq(us, 2376927 - 2199716);
	ck_assert_uint_eq(k.nodes, 4);
	ck_assert_uint_eq(k.cpus, 16);
	ck_assert_int_eq(k.lpj_kind, KLOG_LPJ_PRESET);
}
END_TEST

START_TEST(measured_calibration)
{
	push("Calibrating delay using timer specific routine.. 4989.55 BogoMIPS (lpj=9979116)\n",
	     1);
	ck_assert_int_eq(k.lpj_kind, KLOG_LPJ_MEASURED);
	ck_assert_uint_eq(klog_hz(&k), 250);
	klog_fini(&k);
	push("Calibrating delay loop... 5586.94 BogoMIPS (lpj=2793472)\n", 1);
	ck_assert_int_eq(k.lpj_kind, KLOG_LPJ_MEASURED);
	ck_assert_uint_eq(klog_hz(&k), 1000);
}
END_TEST

/* Byte by byte, lines have their own time of arrival. */
START_TEST(times_of_arrival)
{
	for (size_t i = 0; i < strlen(log_6_1); i++)
		klog_push(&k, &line, (const uint8_t *)log_6_1 + i, 1, i + 1);
	ck_assert_uint_eq(k.mark[KLOG_SMP_BEGIN].host_tsc,
			  (uint64_t)(strstr(log_6_1, "...\r\n") - log_6_1) + 5);
	ck_assert_uint_lt(k.mark[KLOG_SMP_BEGIN].host_tsc, k.mark[KLOG_SMP_END].host_tsc);
}
END_TEST

/* The console first, without stamps; then /dev/kmsg, which has them but comes too late. */
START_TEST(two_sources)
{
	uint64_t us;

	push("smp: Bringing up secondary CPUs ...\nsmp: Brought up 1 node, 2 CPUs\n", 77);
	ck_assert(!klog_bringup_us(&k, &us));
	push(log_6_1, 0);
	ck_assert(klog_bringup_us(&k, &us));
	ck_assert_uint_eq(k.mark[KLOG_SMP_END].host_tsc, 77);
}
END_TEST

START_TEST(cpuinfo)
{
	push("processor\t: 0\nbogomips\t: 4890.86\nprocessor\t: 3\nbogomips\t: 5000.00\n", 0);
	ck_assert_uint_eq(k.vps, 4);
	ck_assert_double_eq(k.vp_bogomips[0], 4890.86);
	ck_assert_double_eq(k.vp_bogomips[1], 0);
	ck_assert_double_eq(k.vp_bogomips[3], 5000);
	push("processor\t: 4294967295\nbogomips\t: 1.0\nbogomips\t: nan\nbogomips\t: -5\n", 0);
	ck_assert_uint_eq(k.vps, 4);
}
END_TEST

START_TEST(a_guest_may_log_anything)
{
	uint64_t us;

	for (unsigned i = 0; i < 100000; i++)
		push("x", 1);
	push("\n[99999999999999999999.1] smp: Brought up 1 node, 2 CPUs\n", 1);
	push("[    1.0] smp: Brought up -1 node, 99999999999 CPUs\n", 1);
	push("BogoMIPS (lpj=\n.. BogoMIPS (lpj=0)\n9e999 BogoMIPS (lpj=1)\n", 1);
	push("[    9.000000] smp: Bringing up secondary CPUs ...\n", 1);
	ck_assert(!klog_bringup_us(&k, &us)); /* ends before it begins */
	ck_assert_uint_eq(klog_hz(&k), 0);
	klog_push(&k, &line, (const uint8_t *)"a\0b\n", 4, 1);
}
END_TEST

START_TEST(metrics_of_a_run)
{
	static const struct vp_times no_times[2];
	struct run_record r = {
		.start_tsc = 1000,
		.end_tsc = 1000 + 9 * 2445430,
		.tsc_khz = 2445430,
		.vps = 2,
		.vp = (struct vp_times *)no_times,
	};
	struct metrics m;

	push(log_6_1, 1000 + 3 * 2445430);
	push("processor\t: 0\nbogomips\t: 4890.86\nprocessor\t: 1\nbogomips\t: 5390.86\n", 0);
	r.klog = k;
	ck_assert_int_eq(metrics_compute(&m, &r, NULL), 0);
	ck_assert_double_eq_tol(m.value[METRIC_SMP_BRINGUP_MS], 128.065, 1e-6);
	ck_assert_double_eq_tol(m.value[METRIC_STARTUP_MS], 3, 1e-6);
	ck_assert_double_eq_tol(m.value[METRIC_LPJ_MIN], 9781720, 0.5);
	ck_assert_double_eq_tol(m.value[METRIC_LPJ_MAX], 10781720, 0.5);
	ck_assert_double_eq_tol(m.value[METRIC_LPJ_ERROR_PPM], 102232, 1);
	/* a log that was read afterwards tells no time of arrival */
	r.klog.mark[KLOG_SMP_END].host_tsc = 0;
	ck_assert_int_eq(metrics_compute(&m, &r, NULL), 0);
	ck_assert(!m.have[METRIC_STARTUP_MS]);
	ck_assert(m.have[METRIC_SMP_BRINGUP_MS]);
}
END_TEST

Suite *klog_suite(void)
{
	Suite *s = suite_create("klog");
	TCase *t = tcase_create("klog");

	tcase_add_checked_fixture(t, NULL, teardown);
	tcase_add_test(t, a_log_of_6_1);
	tcase_add_test(t, a_log_of_6_12);
	tcase_add_test(t, measured_calibration);
	tcase_add_test(t, times_of_arrival);
	tcase_add_test(t, two_sources);
	tcase_add_test(t, cpuinfo);
	tcase_add_test(t, a_guest_may_log_anything);
	tcase_add_test(t, metrics_of_a_run);
	suite_add_tcase(s, t);
	return s;
}
