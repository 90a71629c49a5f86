/* SPDX-License-Identifier: MIT */
/* Choosing features: lists, dependencies, what a mode and a host can't do, and the help. */
#include "tests/unit/suites.h"
#include "hyperv/hv_feature.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hyperv/hv_internal.h"
#include "tests/unit/fake_hv_host.h"

static struct hv_features set;
static char msg[200];

static void setup(void)
{
	hv_features_default(&set, HV_MODE_USER, &fake_hv_host_ops);
	msg[0] = 0;
}

static int parse(const char *list)
{
	return hv_features_parse(&set, list, msg, sizeof(msg));
}

static int check_user(void)
{
	return hv_features_check(&set, HV_MODE_USER, &fake_hv_host_ops, msg, sizeof(msg));
}

START_TEST(defaults_are_possible)
{
	static const struct hv_host_ops bare = {.gpa_ptr =
							(void *(*)(void *, uint64_t, uint64_t))1};

	ck_assert_int_eq(check_user(), 0);
	ck_assert(hv_features_have(&set, HV_FEATURE_STIMER_DIRECT));
	ck_assert(!hv_features_have(&set, HV_FEATURE_PARTITION_ID));

	/* A host that can do little gets little, and no feature without what it needs. */
	hv_features_default(&set, HV_MODE_USER, &bare);
	ck_assert_int_eq(hv_features_check(&set, HV_MODE_USER, &bare, msg, sizeof(msg)), 0);
	ck_assert(hv_features_have(&set, HV_FEATURE_VPINDEX));
	ck_assert(!hv_features_have(&set, HV_FEATURE_SYNIC));
	ck_assert(!hv_features_have(&set, HV_FEATURE_SINT_POLLING));
	ck_assert(!hv_features_have(&set, HV_FEATURE_STIMER));
	ck_assert_int_eq(parse("+crash"), 0);
	ck_assert_int_eq(hv_features_check(&set, HV_MODE_USER, &bare, msg, sizeof(msg)), -EINVAL);
	ck_assert_str_eq(msg, "crash is not possible on this host");

	hv_features_default(&set, HV_MODE_KERNEL, NULL);
	ck_assert_int_eq(hv_features_check(&set, HV_MODE_KERNEL, NULL, msg, sizeof(msg)), 0);
	ck_assert(hv_features_have(&set, HV_FEATURE_TLBFLUSH));
	ck_assert(!hv_features_have(&set, HV_FEATURE_START_VP));
}
END_TEST

START_TEST(lists)
{
	ck_assert_int_eq(parse(""), 0);
	ck_assert_int_eq(parse("-stimer-direct,+ipi,tsc-invariant,spinlocks=4096"), 0);
	ck_assert(!hv_features_have(&set, HV_FEATURE_STIMER_DIRECT));
	ck_assert(hv_features_have(&set, HV_FEATURE_STIMER));
	ck_assert(hv_features_have(&set, HV_FEATURE_IPI));
	ck_assert(hv_features_have(&set, HV_FEATURE_TSC_INVARIANT));
	ck_assert(hv_features_have(&set, HV_FEATURE_SPINLOCKS));
	ck_assert_uint_eq(set.spin_retries, 4096);
	ck_assert_int_eq(parse("-spinlocks,"), 0);
	ck_assert(!hv_features_have(&set, HV_FEATURE_SPINLOCKS));
	ck_assert_int_eq(parse("none,vpindex"), 0);
	ck_assert_uint_eq(set.on,
			  HV_FEATURE_BIT(HV_FEATURE_BASE) | HV_FEATURE_BIT(HV_FEATURE_VPINDEX));
	ck_assert_int_eq(parse("vendor-id=Twelve chars"), 0);
	ck_assert_str_eq(set.vendor_id, "Twelve chars");
	ck_assert_int_eq(parse("vendor-id=x"), 0);
	ck_assert_mem_eq(set.vendor_id, "x\0\0\0\0\0\0\0\0\0\0\0", 13);
}
END_TEST

static const struct {
	const char *list, *message;
} wrong[] = {
	{"+synic,+bogus", "no Hyper-V feature 'bogus'"},
	{"+", "no Hyper-V feature ''"},
	{",synic", "nothing between two commas"},
	{"synic,,stimer", "nothing between two commas"},
	{"-base", "base can't be turned off"},
	{"-none", "no Hyper-V feature 'none'"},
	{"synic=1", "synic takes no value"},
	{"-stimer=", "-stimer takes no value"},
	{"spinlocks", "spinlocks needs =N, 1 to 4294967294"},
	{"spinlocks=", "spinlocks needs =N, 1 to 4294967294"},
	{"spinlocks=0", "spinlocks needs =N, 1 to 4294967294"},
	{"spinlocks=-1", "spinlocks needs =N, 1 to 4294967294"},
	{"spinlocks=4294967295", "spinlocks needs =N, 1 to 4294967294"},
	{"spinlocks=99999999999999999999", "spinlocks needs =N, 1 to 4294967294"},
	{"spinlocks=12k", "spinlocks needs =N, 1 to 4294967294"},
	{"vendor-id", "vendor-id needs =TEXT of 1 to 12 characters"},
	{"vendor-id=", "vendor-id needs =TEXT of 1 to 12 characters"},
	{"vendor-id=thirteenchars", "vendor-id needs =TEXT of 1 to 12 characters"},
	{"-vendor-id=abc", "no Hyper-V feature 'vendor-id'"},
	{"version-id-major=65536", "version-id-major needs =N, 0 to 65535"},
	{"version-id-snumber=0x1000000", "version-id-snumber needs =N, 0 to 16777215"},
	{"a-name-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-"
	 "on",
	 "'a-name-that-goes-on-...' is no Hyper-V feature"},
};

START_TEST(wrong_lists)
{
	struct hv_features before = set;

	ck_assert_int_eq(parse(wrong[_i].list), -EINVAL);
	ck_assert_str_eq(msg, wrong[_i].message);
	ck_assert_mem_eq(&set, &before, sizeof(set));
}
END_TEST

START_TEST(message_fits)
{
	char small[8] = "zzzzzzz";

	ck_assert_int_eq(hv_features_parse(&set, "bogus", small, 4), -EINVAL);
	ck_assert_str_eq(small, "no ");
	ck_assert_int_eq(small[4], 'z');
}
END_TEST

static const struct {
	const char *list, *message; /* NULL: possible */
} sets[] = {
	{"-synic", "sint-polling needs synic, which is off"},
	{"-synic,-sint-polling", "stimer needs synic, which is off"},
	{"-time", "stimer needs time, which is off"},
	{"-stimer", "stimer-direct needs stimer, which is off"},
	{"none,+stimer-direct", "stimer-direct needs stimer, which is off"},
	{"none,+ipi", "ipi needs vpindex, which is off"},
	{"-synic,-sint-polling,-stimer,-stimer-direct", NULL},
	{"none", NULL},
	{"none,vpindex,ipi,xmm-input", NULL},
	{"tlbflush",
	 "tlbflush is not possible in user mode: KVM offers user space no way to flush a VP's TLB"},
	{"vapic", "vapic is not possible in user mode: an EOI would have to go through user space "
		  "and KVM's local APIC"},
	{"evmcs", "evmcs is not possible in user mode: it belongs to KVM's nested virtualization"},
	{"avic", "avic is not possible in user mode: user mode tells the guest so in any case"},
	{"syndbg", "syndbg is not possible in user mode: there is no debugger to talk to"},
};

START_TEST(dependencies)
{
	ck_assert_int_eq(parse(sets[_i].list), 0);
	ck_assert_int_eq(check_user(), sets[_i].message ? -EINVAL : 0);
	if (sets[_i].message)
		ck_assert_str_eq(msg, sets[_i].message);
}
END_TEST

START_TEST(kernel_mode_has_its_own)
{
	hv_features_default(&set, HV_MODE_KERNEL, NULL);
	ck_assert_int_eq(parse("+evmcs"), 0);
	ck_assert_int_eq(hv_features_check(&set, HV_MODE_KERNEL, NULL, msg, sizeof(msg)), 0);
	ck_assert_int_eq(parse("+start-vp"), 0);
	ck_assert_int_eq(hv_features_check(&set, HV_MODE_KERNEL, NULL, msg, sizeof(msg)), -EINVAL);
	ck_assert_str_eq(msg, "start-vp is not possible in kernel mode: KVM does not have it");
}
END_TEST

/* Whether text such as "080-084, 0b0" holds the number. */
static bool holds(const char *text, unsigned number)
{
	while (text && *text) {
		char *end;
		unsigned long first = strtoul(text, &end, 16), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 16);
		if (number >= first && number <= last)
			return true;
		text = end + strspn(end, ", ");
	}
	return false;
}

START_TEST(rows_are_whole)
{
	const struct hv_feature_row *row = hv_feature_row(_i);

	ck_assert(row->name && row->help && row->modes);
	ck_assert_int_eq(!(row->modes & HV_MODE_USER), row->not_user != NULL);
	ck_assert_uint_eq(row->default_for & ~row->modes, 0);
	/* hv_features_default() counts on it. */
	ck_assert_uint_eq(row->needs >> _i, 0);
	/* What the table says of MSRs is what their own table says. */
	for (unsigned i = 0; row->modes & HV_MODE_USER && i < HV_MSR_ROWS; i++) {
		const struct hv_msr_row *m = hv_msr_row(i);

		for (unsigned n = 0; n == 0 || n < m->count; n++)
			ck_assert_msg(holds(row->msrs, m->msr + n * m->step - HV_MSR_FIRST) ==
					      (m->feature == _i),
				      "%s and %s", row->name, m->name);
	}
}
END_TEST

START_TEST(help_names_all)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(f);
	hv_features_help(f);
	ck_assert_int_eq(fclose(f), 0);
	for (unsigned i = 0; i < HV_FEATURES; i++)
		ck_assert_ptr_nonnull(strstr(text, hv_feature_row(i)->name));
	ck_assert_ptr_nonnull(strstr(text, "3.EAX.1,9"));
	ck_assert_ptr_nonnull(strstr(text, "time,synic"));
	free(text);
}
END_TEST

Suite *hv_feature_suite(void)
{
	Suite *s = suite_create("hv_feature");
	TCase *t = tcase_create("feature");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, defaults_are_possible);
	tcase_add_test(t, lists);
	tcase_add_loop_test(t, wrong_lists, 0, sizeof(wrong) / sizeof(wrong[0]));
	tcase_add_test(t, message_fits);
	tcase_add_loop_test(t, dependencies, 0, sizeof(sets) / sizeof(sets[0]));
	tcase_add_test(t, kernel_mode_has_its_own);
	tcase_add_loop_test(t, rows_are_whole, 0, HV_FEATURES);
	tcase_add_test(t, help_names_all);
	suite_add_tcase(s, t);
	return s;
}
