/* SPDX-License-Identifier: MIT */
/* VMMs seen from outside: their commands, and what comes of programs that behave in all ways. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/peer.h"
#include "bench/peer_command.h"
#include "tests/unit/bzimage_fixture.h"
#include "tests/unit/suites.h"
#include "vmm/bzimage.h"
#include "vmm/cli.h"

static struct vm_config config(void)
{
	return (struct vm_config){
		.topology = {.vps = 16, .sockets = 2},
		.memory_bytes = 512u << 20,
		.append = "a b",
	};
}

/* The argument behind an option; NULL: it is not there. */
static const char *argument(const struct peer_command *c, const char *option)
{
	for (size_t i = 0; c->argv[i]; i++)
		if (strcmp(c->argv[i], option) == 0)
			return c->argv[i + 1];
	return NULL;
}

START_TEST(test_commands_say_the_same)
{
	struct peer_guest guest = {.kernel = "/k", .cmdline = "a b lpj=1", .initrd_fd = 9};
	struct vm_config cfg = config();
	const struct peer_vm vm = {.cfg = &cfg, .guest = &guest, .debugcon = "/d"};
	struct peer_command v, q;

	ck_assert_int_eq(peer_command_vpup(&v, &vm), 0);
	ck_assert_int_eq(peer_command_qemu(&q, &vm), 0);
	ck_assert_str_eq(argument(&v, "--cpus"), "16,sockets=2");
	ck_assert_str_eq(argument(&q, "-smp"), "16,sockets=2");
	ck_assert_str_eq(argument(&v, "--memory"), "536870912");
	ck_assert_str_eq(argument(&q, "-m"), "536870912b");
	ck_assert_str_eq(argument(&v, "--kernel"), argument(&q, "-kernel"));
	ck_assert_str_eq(argument(&v, "--append"), argument(&q, "-append"));
	ck_assert_str_eq(argument(&v, "--initrd"), argument(&q, "-initrd"));
	ck_assert_str_eq(argument(&v, "--debugcon"), "/d");
	ck_assert_str_eq(argument(&q, "-chardev"), "file,id=debugcon,path=/d");
	ck_assert_str_eq(argument(&q, "-cpu"), "host,migratable=off,invtsc=on");
	peer_command_fini(&v);
	peer_command_fini(&q);
}
END_TEST

START_TEST(test_options_that_only_vpup_has)
{
	struct vm_config cfg = config();
	struct err e;

	ck_assert_int_eq(peer_command_check(&cfg, &e), 0);
	cfg.noise[cfg.noise_count++] = "steal";
	ck_assert_int_eq(peer_command_check(&cfg, &e), -ENOTSUP);
}
END_TEST

/* Watches a shell script as if it were a VMM. $D is its debug console. */
static int watch(const char *script, enum peer_mark mark, struct peer_seen *seen, struct err *e)
{
	struct peer_debugcon d;
	char *argv[] = {"sh", "-c", NULL, NULL};
	struct peer_run run = {
		.exe = "sh", .argv = argv, .mark = mark, .debugcon = &d, .timeout_s = 5};
	int status;

	run.ram_bytes = 1ull << 40;
	ck_assert_int_eq(peer_debugcon_init(&d, e), 0);
	ck_assert_int_gt(asprintf(&argv[2], "D=%s; %s", d.path, script), 0);
	if (strstr(script, "sleep 60"))
		run.timeout_s = 0.3;
	status = peer_run(&run, seen, e);
	free(argv[2]);
	peer_debugcon_fini(&d);
	return status;
}

START_TEST(test_marks)
{
	struct peer_seen seen;
	struct err e;

	ck_assert_int_eq(watch("sleep 0.2; echo smp: Brought up 1; while :; do :; done",
			       PEER_ONLINE, &seen, &e),
			 0);
	ck_assert_double_ge(seen.mark_ms, 200);
	ck_assert_double_lt(seen.mark_ms, 5000);
	ck_assert_uint_gt(seen.rss_kib, 100);
	ck_assert_int_eq(watch("printf Brou; sleep 0.1; echo ght up; exec sleep 9", PEER_ONLINE,
			       &seen, &e),
			 0);
	ck_assert_int_eq(watch("echo Brought up; echo >$D; exec sleep 9", PEER_INIT, &seen, &e), 0);
	ck_assert_int_eq(watch("echo >$D; exec sleep 9", PEER_ENTRY, &seen, &e), 0);
}
END_TEST

START_TEST(test_no_mark)
{
	struct peer_seen seen;
	struct err e;

	ck_assert_int_eq(watch("echo one >&2; echo no such thing >&2; exit 1", PEER_ONLINE, &seen,
			       &e),
			 VPUP_EXIT_FAIL);
	ck_assert_str_eq(e.text, "sh ended before the mark 'online': no such thing");
	ck_assert_int_eq(watch("echo Brought up", PEER_INIT, &seen, &e), VPUP_EXIT_FAIL);
	ck_assert_int_eq(watch("exec sleep 60", PEER_ONLINE, &seen, &e), VPUP_EXIT_TIMEOUT);
	ck_assert_ptr_nonnull(strstr(e.text, "within 0.3 s"));
}
END_TEST

/* Both entry points of the copy halt, and the rest of it is the kernel's. */
START_TEST(test_kernel_that_stops_at_its_entry)
{
	static const uint8_t code[] = {0xb0, 0x0a, 0xe6, 0xe9, 0xf4, 0xeb, 0xfd};
	char path[] = "/tmp/vpup-peer-XXXXXX";
	struct vm_config cfg = config();
	struct bz_image image, copy;
	struct peer_guest g;
	size_t entry = BZ_KERNEL_OFF;
	struct err e;
	int fd = mkstemp(path);

	bz_build(&image);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, image.bytes, BZ_SIZE), BZ_SIZE);
	cfg.kernel = path;
	ck_assert_int_eq(peer_guest_init(&g, &cfg, true, 1000000, &e), 0);
	ck_assert_str_eq(g.cmdline, "a b");
	ck_assert_int_eq(g.initrd_fd, -1);
	ck_assert_int_eq(pread(g.kernel_fd, copy.bytes, BZ_SIZE, 0), BZ_SIZE);
	ck_assert_mem_eq(copy.bytes, image.bytes, entry);
	ck_assert_mem_eq(copy.bytes + entry, code, sizeof(code));
	ck_assert_mem_eq(copy.bytes + entry + BZIMAGE_ENTRY_64, code, sizeof(code));
	peer_guest_fini(&g);
	ck_assert_int_eq(ftruncate(fd, (off_t)(entry + BZIMAGE_ENTRY_64)), 0);
	ck_assert_int_eq(peer_guest_init(&g, &cfg, true, 1000000, &e), -EINVAL);
	peer_guest_fini(&g);
	unlink(path);
	close(fd);
}
END_TEST

Suite *peer_suite(void)
{
	Suite *s = suite_create("peer");
	TCase *c = tcase_create("peer");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, test_commands_say_the_same);
	tcase_add_test(c, test_options_that_only_vpup_has);
	tcase_add_test(c, test_marks);
	tcase_add_test(c, test_no_mark);
	tcase_add_test(c, test_kernel_that_stops_at_its_entry);
	suite_add_tcase(s, c);
	return s;
}
