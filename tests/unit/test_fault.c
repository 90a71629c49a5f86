/* SPDX-License-Identifier: MIT */
/* Unit tests of --fault: what parses, what is refused, and what tables, CPUID and guest are shown. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "tests/unit/vm_fixture.h"
#include "vmm/fault.h"

START_TEST(parses_each_kind)
{
	struct fault f;
	struct err e = {""};

	ck_assert_int_eq(fault_parse(&f, "sipi-delay=2ms,vp=3", 4, &e), 0);
	ck_assert_int_eq(f.kind, FAULT_SIPI_DELAY);
	ck_assert_int_eq(f.time_ns, 2000000);
	ck_assert_uint_eq(f.vps.id[0], 3);
	fault_fini(&f);
	ck_assert_int_eq(fault_parse(&f, "sipi-drop", 4, &e), 0);
	ck_assert_int_eq(f.kind, FAULT_SIPI_DROP);
	ck_assert_int_eq(f.time_ns, 0);
	ck_assert_uint_eq(f.vps.count, 0);
	ck_assert_int_eq(fault_parse(&f, "sipi-drop,vp=1-2,for=250ms", 4, &e), 0);
	ck_assert_int_eq(f.time_ns, 250000000);
	ck_assert_uint_eq(f.vps.count, 2);
	fault_fini(&f);
	ck_assert_int_eq(fault_parse(&f, "tsc-skew=-100us,vp=0", 4, &e), 0);
	ck_assert_int_eq(f.kind, FAULT_TSC_SKEW);
	ck_assert_int_eq(f.time_ns, -100000);
	fault_fini(&f);
	ck_assert_int_eq(fault_parse(&f, "same-apicid,vp=2,as=1,in=cpuid", 4, &e), 0);
	ck_assert_int_eq(f.kind, FAULT_SAME_APIC_ID);
	ck_assert_uint_eq(f.as, 1);
	ck_assert_uint_eq(f.view, FAULT_VIEW_CPUID);
	fault_fini(&f);
	ck_assert_int_eq(fault_parse(&f, "no-pit", 4, &e), 0);
	ck_assert_int_eq(f.kind, FAULT_NO_PIT);
	ck_assert_int_eq(fault_parse(&f, "stimer-before-simp", 4, &e), 0);
	ck_assert_int_eq(f.kind, FAULT_STIMER_BEFORE_SIMP);
	ck_assert_int_eq(fault_parse(&f, "tsc-freq-lie=-500ppm", 4, &e), 0);
	ck_assert_int_eq(f.kind, FAULT_TSC_LIE);
	ck_assert_int_eq(f.ppm, -500);
	ck_assert_int_eq(fault_parse(&f, "apic-timer-lie=25%", 4, &e), 0);
	ck_assert_int_eq(f.kind, FAULT_APIC_TIMER_LIE);
	ck_assert_int_eq(f.ppm, 250000);
}
END_TEST

static const struct {
	const char *text;
	const char *says;
} refused[] = {
	{"", "unknown fault ''"},
	{"sipi-dealy=2ms", "did you mean 'sipi-delay'"},
	{"gremlins", "there are sipi-delay, sipi-drop"},
	{"sipi-delay", "sipi-delay needs a value"},
	{"sipi-delay=0ms", "--fault sipi-delay: sipi-delay=0ms: it must be from 1us to 600s"},
	{"sipi-delay=2", "in ns, us, ms or s"},
	{"sipi-delay=2ms,vp=4", "there is no VP 4: 0 to 3"},
	{"sipi-delay=2ms,vp=0", "VP 0 boots and gets no SIPI"},
	{"sipi-drop=1", "sipi-drop takes no value"},
	{"sipi-drop,vp=", "vp: '' is not a number"},
	{"sipi-drop,as=1", "unknown key 'as'"},
	{"tsc-skew=2h,vp=1", "it must be from -3600s to 3600s"},
	{"same-apicid", "it takes vp=N"},
	{"same-apicid,vp=1-2", "it takes vp=N, one VP"},
	{"same-apicid,vp=0", "VP 0 has its own APIC ID anyway"},
	{"same-apicid,vp=1,as=4", "as: there is no VP 4"},
	{"same-apicid,vp=1,in=madt", "it must be both, tables or cpuid"},
	{"no-pit,vp=1", "unknown key 'vp'"},
	{"tsc-freq-lie=-51%", "it must be from -50% to 100%"},
};

START_TEST(refuses_what_is_wrong)
{
	struct fault f;
	struct err e = {""};

	ck_assert_int_eq(fault_parse(&f, refused[_i].text, 4, &e), -EINVAL);
	ck_assert_msg(strstr(e.text, refused[_i].says), "%s", e.text);
	fault_fini(&f);
}
END_TEST

START_TEST(shows_another_id_where_it_is_asked_for)
{
	struct topology t = topology_of((struct topology_config){.vps = 4});
	struct vm_config cfg = {.append = "",
				.fault = {"same-apicid,vp=2", "same-apicid,vp=3,as=1,in=tables"},
				.fault_count = 2};
	struct faults f;
	struct err e = {""};

	ck_assert_int_eq(faults_init(&f, &cfg, &t, &e), 0);
	ck_assert_uint_eq(faults_shown(&f.tables, &t)->vp[2].apic_id, t.vp[0].apic_id);
	ck_assert_uint_eq(faults_shown(&f.tables, &t)->vp[3].apic_id, t.vp[1].apic_id);
	ck_assert_uint_eq(faults_shown(&f.cpuid, &t)->vp[2].apic_id, t.vp[0].apic_id);
	ck_assert_uint_eq(faults_shown(&f.cpuid, &t)->vp[3].apic_id, 3);
	ck_assert_uint_eq(t.vp[2].apic_id, 2);
	faults_fini(&f);
	cfg.fault_count = 0;
	ck_assert_int_eq(faults_init(&f, &cfg, &t, &e), 0);
	ck_assert_ptr_eq(faults_shown(&f.tables, &t), &t);
	ck_assert_ptr_eq(faults_shown(&f.cpuid, &t), &t);
	ck_assert_ptr_null(f.append);
	faults_fini(&f);
	topology_fini(&t);
}
END_TEST

START_TEST(tells_the_bundled_guest_and_no_other)
{
	struct topology t = topology_of((struct topology_config){.vps = 2});
	struct vm_config cfg = {.append = "checks=off",
				.fault = {"stimer-before-simp"},
				.fault_count = 1};
	struct faults f;
	struct err e = {""};

	ck_assert_int_eq(faults_init(&f, &cfg, &t, &e), 0);
	ck_assert_str_eq(f.append, "checks=on wait_ms=1000 stimer_first=on checks=off");
	faults_fini(&f);
	cfg.kernel = "bzImage";
	ck_assert_int_eq(faults_init(&f, &cfg, &t, &e), -EINVAL);
	ck_assert(strstr(e.text, "it takes no kernel"));
	faults_fini(&f);
	cfg.fault[0] = "no-pit";
	ck_assert_int_eq(faults_init(&f, &cfg, &t, &e), 0);
	ck_assert_ptr_null(f.append);
	faults_fini(&f);
	cfg.fault[0] = "tsc-freq-lie=1%";
	cfg.hyperv = HYPERV_OFF;
	ck_assert_int_eq(faults_init(&f, &cfg, &t, &e), -EINVAL);
	ck_assert(strstr(e.text, "need --hyperv user"));
	faults_fini(&f);
	topology_fini(&t);
}
END_TEST

START_TEST(lies_by_so_much)
{
	struct faults f = {.fault = {{.kind = FAULT_TSC_LIE, .ppm = -500000}}, .count = 1};

	ck_assert_uint_eq(faults_lie(&f, FAULT_TSC_LIE, 2445430000), 1222715000);
	ck_assert_uint_eq(faults_lie(&f, FAULT_APIC_TIMER_LIE, 1000000000), 1000000000);
	f.fault[0].ppm = 1000000;
	ck_assert_uint_eq(faults_lie(&f, FAULT_TSC_LIE, 5000000000000), 10000000000000);
}
END_TEST

Suite *fault_suite(void)
{
	Suite *s = suite_create("fault");
	TCase *c = tcase_create("fault");

	suite_add_tcase(s, c);
	tcase_add_test(c, parses_each_kind);
	tcase_add_loop_test(c, refuses_what_is_wrong, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(c, shows_another_id_where_it_is_asked_for);
	tcase_add_test(c, tells_the_bundled_guest_and_no_other);
	tcase_add_test(c, lies_by_so_much);
	return s;
}
