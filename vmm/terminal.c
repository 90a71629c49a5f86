/* SPDX-License-Identifier: MIT */
/* The terminal on stdin: raw while a guest has it, and put back however vpup ends. */
#include "vmm/terminal.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* A signal handler can be handed nothing: so this is the one state that hangs off no struct. */
static struct termios saved;
static volatile sig_atomic_t is_raw;

void terminal_restore(void)
{
	if (!is_raw)
		return;
	is_raw = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &saved);
}

/* vpup itself crashed: it does so again, with a terminal that can be used. */
static void on_crash(int sig)
{
	terminal_restore();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void restore_at_any_end(void)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

	atexit(terminal_restore);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++) {
		struct sigaction old;

		/* A sanitizer's own handler has more to tell. */
		if (sigaction(crashes[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			signal(crashes[i], on_crash);
	}
}

bool terminal_raw(bool keep_signals)
{
	struct termios t;

	if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp() ||
	    tcgetattr(STDIN_FILENO, &saved) < 0)
		return false;
	t = saved;
	t.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
	if (!keep_signals)
		t.c_lflag &= ~(tcflag_t)ISIG;
	t.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
	t.c_cc[VMIN] = 1;
	t.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSANOW, &t) < 0)
		return false;
	is_raw = 1;
	restore_at_any_end();
	return true;
}

void terminal_size(unsigned *rows, unsigned *columns)
{
	struct winsize size = {0};

	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0)
		size = (struct winsize){0};
	*rows = size.ws_row;
	*columns = size.ws_col;
}
