/* SPDX-License-Identifier: MIT */
/* Unit tests of the host facts: which KVM module serves, and that collecting always ends well. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suites.h"
#include "vmm/hostinfo.h"

/* Modules that are there, what the CPU can, and the one that serves. */
static const struct {
	const char *modules[4];
	bool svm;
	bool vmx;
	const char *found; /* NULL: not known */
} rows[] = {
	{{"kvm_amd"}, true, false, "kvm_amd"},
	{{"kvm_intel"}, false, true, "kvm_intel"},
	{{"kvm_pvm"}, false, false, "kvm_pvm"},
	{{"kvm_amd", "kvm_intel"}, true, false, "kvm_amd"}, /* both built in */
	{{"kvm_amd", "kvm_intel"}, false, true, "kvm_intel"},
	{{"kvm_amd", "kvm_pvm"}, false, false, "kvm_pvm"},
	{{"kvm_amd", "kvm_pvm"}, true, false, NULL}, /* either may serve */
	{{"kvm_amd"}, false, true, NULL},
	{{NULL}, true, true, NULL},
};

START_TEST(test_kvm_module)
{
	char dir[] = "/tmp/vpup-module-XXXXXX", path[96];
	const char *const *module = rows[_i].modules;
	const char *found;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	for (; *module; module++) {
		snprintf(path, sizeof(path), "%s/%s", dir, *module);
		ck_assert_int_eq(mkdir(path, 0700), 0);
	}
	found = hostinfo_kvm_module(dir, rows[_i].svm, rows[_i].vmx);
	while (module-- > rows[_i].modules) {
		snprintf(path, sizeof(path), "%s/%s", dir, *module);
		rmdir(path);
	}
	rmdir(dir);
	if (rows[_i].found)
		ck_assert_pstr_eq(found, rows[_i].found);
	else
		ck_assert_ptr_null(found);
}
END_TEST

START_TEST(test_no_module_directory)
{
	char long_path[400];

	ck_assert_ptr_null(hostinfo_kvm_module("/no/such/dir", true, true));
	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	ck_assert_ptr_null(hostinfo_kvm_module(long_path, true, true));
}
END_TEST

START_TEST(test_collect)
{
	const struct hostinfo_given given = {.tsc_khz = 42, .emulated = HOST_NO};
	struct hostinfo h;

	hostinfo_collect(&h, &given);
	ck_assert_uint_ge(h.cpus_online, 1);
	ck_assert_uint_gt(h.memory_mib, 16);
	ck_assert_uint_gt(strlen(h.kernel), 0);
	ck_assert_uint_eq(h.given.tsc_khz, 42);
	ck_assert_int_eq(h.emulated, HOST_NO); /* the caller knows better than the module's name */
	for (const char *c = h.cpu_model; *c; c++)
		ck_assert(*c >= ' ' && *c < 0x7f);
	ck_assert(h.is_guest || h.hypervisor[0] == '\0');
}
END_TEST

Suite *hostinfo_suite(void)
{
	Suite *s = suite_create("hostinfo");
	TCase *c = tcase_create("hostinfo");

	tcase_add_loop_test(c, test_kvm_module, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(c, test_no_module_directory);
	tcase_add_test(c, test_collect);
	suite_add_tcase(s, c);
	return s;
}
