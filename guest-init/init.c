/* SPDX-License-Identifier: MIT */
/*
 * /init of the initramfs that `vpup run --exec` makes: runs one command on the serial port, tells the
 * host what the kernel logged and what became of the command, and ends the run.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "guest-init/network.h"
#include "guest-kernel/abi/init.h"

#define DEBUGCON_PORT 0xe9
#define EXIT_PORT     0xf4
#define TTY           "/dev/ttyS0"

/* What the host left in INIT_OPTIONS_FILE. */
struct options {
	int interactive, rows, cols, has_network;
	char term[32];
};

static void mount_all(void)
{
	static const struct {
		const char *type, *where;
	} mounts[] = {
		{"devtmpfs", "/dev"}, {"proc", "/proc"}, {"sysfs", "/sys"},
		{"tmpfs", "/tmp"},    {"tmpfs", "/run"},
	};

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		/* A program of the command's that stands below /tmp stays in sight. */
		if (strcmp(mounts[i].type, "tmpfs") == 0 && rmdir(mounts[i].where) &&
		    errno == ENOTEMPTY)
			continue;
		mkdir(mounts[i].where, 0755);
		mount(mounts[i].type, mounts[i].where, mounts[i].type, 0, NULL);
	}
}

static void read_options(struct options *o)
{
	FILE *f = fopen(INIT_OPTIONS_FILE, "r");

	*o = (struct options){.term = "dumb"};
	if (!f)
		return;
	if (fscanf(f, INIT_OPTIONS_SCAN, &o->interactive, &o->rows, &o->cols, &o->has_network,
		   o->term) < 4)
		*o = (struct options){.term = "dumb"};
	fclose(f);
}

/* What vpup's devices need. A module of another kernel is refused by this one, which is told. */
static void load_modules(int tty)
{
	struct dirent **entry;
	int n = scandir(INIT_MODULES_DIR, &entry, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		char path[512];
		int fd;

		snprintf(path, sizeof(path), "%s/%s", INIT_MODULES_DIR, entry[i]->d_name);
		fd = entry[i]->d_name[0] == '.' ? -1 : open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
			dprintf(tty, "vpup: module %s: %s\n", entry[i]->d_name, strerror(errno));
		if (fd >= 0)
			close(fd);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
}

/* What the host left in a file, cut to size; "" where it left none. Returns its length. */
static size_t read_text(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, size - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	return n;
}

/* The host's directory, at its own path, as the command's working directory. */
static void enter_directory(void)
{
	char path[4096];

	if (!read_text(INIT_CWD_FILE, path, sizeof(path)))
		return;
	for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	mkdir(path, 0755);
	if (mount(INIT_CWD_TAG, path, "virtiofs", MS_RDONLY, NULL) == 0 && chdir(path))
		dprintf(2, "vpup: %s: %s\n", path, strerror(errno));
}

/*
 * For a person the terminal stays as it is. For a pipe there is no echo and no CR, and input is
 * passed on line by line up to Ctrl-D.
 */
static void set_terminal(int tty, const struct options *o)
{
	const struct winsize size = {.ws_row = (unsigned short)o->rows,
				     .ws_col = (unsigned short)o->cols};
	struct termios t;

	if (o->interactive && o->rows > 0)
		ioctl(tty, TIOCSWINSZ, &size);
	if (o->interactive || tcgetattr(tty, &t))
		return;
	t.c_oflag &= ~(tcflag_t)OPOST;
	t.c_lflag &= ~(tcflag_t)(ECHO | ISIG);
	t.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
	tcsetattr(tty, TCSANOW, &t);
}

static int wait_for(pid_t child)
{
	int status;
	pid_t pid;

	do {
		pid = wait(&status);
	} while (pid != child && (pid > 0 || errno == EINTR));
	if (pid != child)
		return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void exec_shell(const struct options *o)
{
	static char command[65536];

	read_text(INIT_COMMAND_FILE, command, sizeof(command));
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	setenv("TERM", o->term, 1);
	execl("/bin/sh", "sh", "-c", command, NULL);
	dprintf(2, "vpup: can't run /bin/sh: %s\n", strerror(errno));
	_exit(127);
}

/*
 * The leader of the terminal's session. When it ends, Linux hangs the terminal up and drops what was not yet
 * sent, so it stays until all is.
 */
static void lead_session(int tty, const struct options *o)
{
	pid_t child;
	int status;

	setsid();
	ioctl(tty, TIOCSCTTY, 0);
	for (int fd = 0; fd < 3; fd++)
		dup2(tty, fd);
	if (tty > 2)
		close(tty);
	child = fork();
	if (child == 0)
		exec_shell(o);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	status = child > 0 ? wait_for(child) : 127;
	tcdrain(0);
	_exit(status);
}

/* What goes to the host in the end. */
struct told {
	size_t used;
	char text[512 * 1024];
};

static void tell(struct told *t, const char *line, size_t size)
{
	if (size > sizeof(t->text) - t->used)
		return;
	memcpy(t->text + t->used, line, size);
	t->used += size;
}

static bool is_wanted(const char *text)
{
	static const char *const words[] = INIT_LOG_WORDS;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/* Each record of /dev/kmsg is "prio,seq,usec,flags;text". */
static void tell_kernel_log(struct told *t)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char record[2048], line[2048];
	unsigned long long us;
	ssize_t n;
	int size;

	while (fd >= 0 && ((n = read(fd, record, sizeof(record) - 1)) > 0 || errno == EPIPE)) {
		char *text;

		if (n <= 0)
			continue;
		record[n] = '\0';
		text = strchr(record, ';');
		if (!text || sscanf(record, "%*u,%*u,%llu", &us) != 1)
			continue;
		text++;
		text[strcspn(text, "\n")] = '\0';
		if (!is_wanted(text))
			continue;
		size = snprintf(line, sizeof(line), "[%5llu.%06llu] %s\n", us / 1000000,
				us % 1000000, text);
		tell(t, line, (size_t)size < sizeof(line) ? (size_t)size : sizeof(line) - 1);
	}
	if (fd >= 0)
		close(fd);
}

static void tell_cpuinfo(struct told *t)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[4096];

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "processor", 9) == 0 || strncmp(line, "bogomips", 8) == 0)
			tell(t, line, strlen(line));
	if (f)
		fclose(f);
}

int main(void)
{
	static struct told told;
	struct options o;
	bool ports;
	pid_t child;
	int tty, status = 127;

	mount_all();
	read_options(&o);
	tty = open(TTY, O_RDWR | O_NOCTTY);
	if (tty >= 0)
		set_terminal(tty, &o);
	load_modules(tty);
	if (o.has_network)
		network_up();
	enter_directory();
	ports = ioperm(DEBUGCON_PORT, 1, 1) == 0 && ioperm(EXIT_PORT, 4, 1) == 0;
	if (ports)
		outb('\n', DEBUGCON_PORT); /* the terminal is ready for input */
	child = tty >= 0 ? fork() : -1;
	if (child == 0)
		lead_session(tty, &o);
	if (child > 0)
		status = wait_for(child);
	if (ports) {
		tell_kernel_log(&told);
		tell_cpuinfo(&told);
		outsb(DEBUGCON_PORT, told.text, told.used);
		outl((unsigned)status, EXIT_PORT);
	}
	reboot(RB_POWER_OFF);
	return status;
}
