/* SPDX-License-Identifier: MIT */
/* The first process of L1: file systems, KVM's modules, COMMAND, its files; then the end. */
#include "lab/init.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/channel.h"
#include "lab/held_vm.h"
#include "lab/job.h"
#include "lab/l1_paths.h"
#include "vmm/cli.h"
#include "vmm/file.h"
#include "vmm/kernel_modules.h"

#define TREE_DEPTH_MAX 4

/* A path that COMMAND may write, as it was before. */
struct before {
	bool existed;
	struct stat st;
};

static void fail(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3), noreturn));

/* L1 is an engine's process: its host ends it when it has seen the last frame. */
static void __attribute__((noreturn)) end(void)
{
	sync();
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static void fail(int status, const char *fmt, ...)
{
	uint32_t number = (uint32_t)status;
	uint8_t frame[sizeof(number) + 256];
	va_list ap;

	memcpy(frame, &number, sizeof(number));
	va_start(ap, fmt);
	vsnprintf((char *)frame + sizeof(number), sizeof(frame) - sizeof(number), fmt, ap);
	va_end(ap);
	channel_send(FRAME_FAIL, frame, sizeof(number) + strlen((char *)frame + sizeof(number)));
	end();
}

static void mount_all(void)
{
	static const struct {
		const char *type, *dir;
	} mounts[] = {
		{"devtmpfs", "/dev"},
		{"proc", "/proc"},
		{"sysfs", "/sys"},
	};

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i].dir, 0755);
		if (mount(mounts[i].type, mounts[i].dir, mounts[i].type, 0, NULL))
			fail(VPUP_EXIT_HOST, "L1 can't mount %s: %s", mounts[i].type,
			     strerror(errno));
	}
	mkdir("/tmp", 01777);
	mkdir(L1_CACHE, 0755);
}

/*
 * The first file system can't be moved out of the way (pivot_root(2)), as a sandbox like virtiofsd's
 * wants to: on itself once more, and entered, it is a mount like others.
 */
static void enter_root(void)
{
	if (mkdir(L1_ROOT, 0755) || mount("/", L1_ROOT, NULL, MS_BIND, NULL) || chroot(L1_ROOT) ||
	    chdir("/"))
		fail(VPUP_EXIT_HOST, "L1 can't enter its root: %s", strerror(errno));
}

/* For what COMMAND's guests reach of their host, and for forwarded ports. */
static void loopback_up(void)
{
	struct ifreq r = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return; /* without a network L1 does what else it can */
	ioctl(fd, SIOCSIFFLAGS, &r);
	close(fd);
}

static void load_module(const char *name)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", L1_MODULES, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)) {
		if (errno == ENOEXEC)
			fail(VPUP_EXIT_USAGE, "module %s does not fit L1's kernel", name);
		if (errno == EOPNOTSUPP || errno == ENODEV)
			fail(VPUP_EXIT_HOST,
			     "L1's CPU has no virtualization that module %s could use: the engine "
			     "must offer SVM or VMX",
			     name);
		fail(VPUP_EXIT_HOST, "L1 can't load module %s: %s", name, strerror(errno));
	}
	close(fd);
}

static void load_modules(void)
{
	FILE *order = fopen(L1_ORDER, "re");
	char name[MODULE_NAME_MAX];

	while (order && fgets(name, sizeof(name), order)) {
		name[strcspn(name, "\n")] = '\0';
		load_module(name);
		channel_mark(name);
	}
	if (order)
		fclose(order);
	if (access("/dev/kvm", R_OK | W_OK))
		fail(VPUP_EXIT_HOST, "L1 has no /dev/kvm: its CPU or its kernel lacks "
				     "virtualization");
}

static pid_t start(const struct job *j, int out_fd, int err_fd)
{
	pid_t pid = fork();
	int in_fd;

	if (pid)
		return pid;
	in_fd = open("/dev/null", O_RDONLY);
	dup2(in_fd, STDIN_FILENO);
	dup2(out_fd, STDOUT_FILENO);
	dup2(err_fd, STDERR_FILENO);
	if (chdir(j->cwd))
		_exit(VPUP_EXIT_BUG);
	setenv("XDG_CACHE_HOME", L1_CACHE, 1);
	setenv("HOME", "/", 1);
	setenv("PATH", "/lab:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	execv(L1_VPUP, j->argv);
	_exit(VPUP_EXIT_BUG);
}

/* Hands on what COMMAND prints, until it and all its children have closed both pipes. */
static void forward(int out_fd, int err_fd)
{
	struct pollfd fd[] = {{.fd = out_fd, .events = POLLIN}, {.fd = err_fd, .events = POLLIN}};
	static const enum frame_type type[] = {FRAME_STDOUT, FRAME_STDERR};
	uint8_t data[FRAME_DATA_MAX];

	while (fd[0].fd >= 0 || fd[1].fd >= 0) {
		if (poll(fd, 2, -1) < 0)
			continue;
		for (unsigned i = 0; i < 2; i++) {
			ssize_t n;

			if (!fd[i].revents)
				continue;
			n = read(fd[i].fd, data, sizeof(data));
			if (n > 0)
				channel_send(type[i], data, (size_t)n);
			else
				fd[i].fd = -1;
		}
	}
}

static int run(const struct job *j)
{
	int out[2], err[2], wait_status = 0;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		fail(VPUP_EXIT_HOST, "L1 can't make a pipe: %s", strerror(errno));
	pid = start(j, out[1], err[1]);
	if (pid < 0)
		fail(VPUP_EXIT_HOST, "L1 can't start COMMAND: %s", strerror(errno));
	close(out[1]);
	close(err[1]);
	forward(out[0], err[0]);
	while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR)
		;
	return wait_status;
}

static void send_new(const char *path, const struct before *before, unsigned depth);

static void send_tree(const char *path, unsigned depth)
{
	const struct before none = {.existed = false};
	DIR *dir = opendir(path);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		char *below;

		if (d->d_name[0] == '.' || asprintf(&below, "%s/%s", path, d->d_name) < 0)
			continue;
		send_new(below, &none, depth);
		free(below);
	}
	if (dir)
		closedir(dir);
}

/* Sends what is new, or has changed. */
static void send_new(const char *path, const struct before *before, unsigned depth)
{
	struct stat st;
	struct err e;

	if (stat(path, &st))
		return;
	if (S_ISDIR(st.st_mode) && depth < TREE_DEPTH_MAX)
		send_tree(path, depth + 1);
	if (!S_ISREG(st.st_mode) || (before->existed && file_is_same(&before->st, &st)))
		return;
	if (channel_send_file(path, &e))
		fail(VPUP_EXIT_HOST, "L1: %s", e.text);
}

static void __attribute__((noreturn)) do_job(const struct job *j)
{
	struct before *before = calloc(job_paths(j) + 1, sizeof(*before));
	uint32_t wait_status;

	if (!before || chdir(j->cwd))
		fail(VPUP_EXIT_HOST, "L1 can't enter '%s': %s", j->cwd, strerror(errno));
	for (size_t i = 0; i < job_paths(j); i++)
		before[i].existed = stat(job_path(j, i), &before[i].st) == 0;
	wait_status = (uint32_t)run(j);
	channel_mark("command");
	for (size_t i = 0; i < job_paths(j); i++)
		send_new(job_path(j, i), &before[i], 0);
	channel_mark("files");
	channel_send(FRAME_EXIT, &wait_status, sizeof(wait_status));
	end();
}

int lab_init(int argc, char **argv)
{
	struct held_vm held;
	struct job job;
	struct err e;

	(void)argc;
	(void)argv;
	if (getpid() != 1)
		return cli_fail(L1_INIT, "this is what the lab's L1 starts as its first process");
	if (channel_open(&e)) {
		fprintf(stderr, "vpup " L1_INIT ": %s\n", e.text);
		end();
	}
	channel_mark("kernel");
	enter_root();
	mount_all();
	loopback_up();
	load_modules();
	if (held_vm_open(&held, &e))
		fail(VPUP_EXIT_HOST, "L1: %s", e.text);
	if (job_read(&job, &e))
		fail(VPUP_EXIT_BUG, "L1: %s", e.text);
	do_job(&job);
}
