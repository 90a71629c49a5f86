/* SPDX-License-Identifier: MIT */
/* The ways in which a run ends. */
#include "guest-kernel/shutdown.h"

#include "guest-kernel/console.h"
#include "guest-kernel/cpu.h"
#include "guest-kernel/text.h"

#define I8042_COMMAND 0x64
#define I8042_RESET   0xfe /* pulse output line 0, which is the CPU's reset */
#define FAIL_TEXT_MAX 192

_Noreturn void guest_exit(enum guest_exit code)
{
	const struct cpu_table_ptr no_table = {.limit = 0};

	cpu_cli();
	cpu_outb(EXIT_PORT, (uint8_t)code);
	cpu_outb(I8042_COMMAND, I8042_RESET);
	/* No such device either: an exception without an IDT shuts the processor down. */
	cpu_lidt(&no_table);
	cpu_int3();
	for (;;)
		cpu_hlt();
}

_Noreturn void fail(const char *fmt, ...)
{
	char buf[FAIL_TEXT_MAX];
	struct text t = {.buf = buf, .size = sizeof(buf)};
	va_list ap;

	va_start(ap, fmt);
	text_add_v(&t, fmt, ap);
	va_end(ap);
	console_line("failed: %s", buf);
	guest_exit(GUEST_EXIT_FAIL);
}
