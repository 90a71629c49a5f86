/* SPDX-License-Identifier: MIT */
/* Arguments of `vpup run` options that are more than a word to keep. */
#include "vmm/run_option_args.h"

#include <stdlib.h>
#include <string.h>

#include "vmm/cli.h"
#include "vmm/run_option.h"

#define CMD     RUN_OPTION_CMD
#define LPJ_MAX 1000000000000 /* a TSC of 100 THz at 100 Hz */
#define HZ_MAX  10000
#define VPS_MAX 65535 /* beyond any KVM; the host's own limit is checked later */

static int parse_count(const char *what, const char *s, uint32_t *out)
{
	uint64_t val;

	if (cli_parse_u64(s, 1, VPS_MAX, &val))
		return cli_fail(CMD, "%s: '%s' is not a whole number from 1 to %d", what, s,
				VPS_MAX);
	*out = (uint32_t)val;
	return 0;
}

static int parse_cpus_part(struct topology_config *t, const char *part)
{
	static const char *const keys[] = {"sockets", "cores", "threads", NULL};
	uint32_t *const fields[] = {&t->sockets, &t->cores, &t->threads};
	size_t key_len = strcspn(part, "=");

	for (unsigned i = 0; keys[i]; i++)
		if (strlen(keys[i]) == key_len && strncmp(part, keys[i], key_len) == 0 &&
		    part[key_len] == '=')
			return parse_count(keys[i], part + key_len + 1, fields[i]);
	return cli_fail(CMD, "--cpus: '%s' is not sockets=N, cores=N or threads=N", part);
}

int run_option_cpus(struct vm_config *cfg, const char *arg)
{
	char *copy = strdup(arg), *save = NULL, *part;
	int ret;

	if (!copy)
		return cli_fail(CMD, "out of memory");
	part = strtok_r(copy, ",", &save);
	ret = parse_count("--cpus", part ? part : "", &cfg->topology.vps);
	while (ret == 0 && (part = strtok_r(NULL, ",", &save)))
		ret = parse_cpus_part(&cfg->topology, part);
	free(copy);
	return ret;
}

int run_option_numa(struct vm_config *cfg, const char *arg)
{
	return parse_count("--numa", arg, &cfg->topology.nodes);
}

int run_option_memory(struct vm_config *cfg, const char *arg)
{
	if (cli_parse_size(arg, &cfg->memory_bytes))
		return cli_fail(CMD, "--memory: '%s' is not a size such as 256M or 4G", arg);
	return 0;
}

int run_option_exec(struct vm_config *cfg, const char *arg)
{
	if (!arg[0])
		return cli_fail(CMD, "--exec: the command is empty");
	cfg->exec = arg;
	return 0;
}

int run_option_hyperv(struct vm_config *cfg, const char *arg)
{
	/* In the order of enum hyperv_mode. */
	static const char *const words[] = {"user", "kernel", "off", NULL};
	int mode = cli_find_word(arg, words);

	if (mode < 0)
		return cli_fail(CMD, "--hyperv: '%s' is not user, kernel or off", arg);
	cfg->hyperv = (enum hyperv_mode)mode;
	return 0;
}

int run_option_hv(struct vm_config *cfg, const char *arg)
{
	cfg->hv = arg;
	cfg->hv_help = strcmp(arg, "help") == 0;
	return 0;
}

int run_option_invtsc(struct vm_config *cfg, const char *arg)
{
	/* In the order of enum invtsc_mode. */
	static const char *const words[] = {"on", "off", "force", NULL};
	int mode = cli_find_word(arg, words);

	if (mode < 0)
		return cli_fail(CMD, "--invtsc: '%s' is not on, off or force", arg);
	cfg->invtsc = (enum invtsc_mode)mode;
	return 0;
}

int run_option_lpj(struct vm_config *cfg, const char *arg)
{
	cfg->lpj = LPJ_NUMBER;
	if (strcmp(arg, "auto") == 0)
		cfg->lpj = LPJ_AUTO;
	else if (strcmp(arg, "off") == 0)
		cfg->lpj = LPJ_OFF;
	else if (cli_parse_u64(arg, 1, LPJ_MAX, &cfg->lpj_number))
		return cli_fail(CMD, "--lpj: '%s' is not auto, off or a number of loops per jiffy",
				arg);
	return 0;
}

int run_option_hz(struct vm_config *cfg, const char *arg)
{
	uint64_t hz;

	if (cli_parse_u64(arg, 1, HZ_MAX, &hz))
		return cli_fail(CMD, "--hz: '%s' is not a whole number from 1 to %d", arg, HZ_MAX);
	cfg->hz = (uint32_t)hz;
	return 0;
}

/* What else than the terminal a console may be. False: none of these. */
static bool parse_console_kind(struct console_config *c, const char *arg)
{
	*c = (struct console_config){CONSOLE_NONE, NULL};
	if (strcmp(arg, "pty") == 0) {
		c->kind = CONSOLE_PTY;
	} else if (strncmp(arg, "unix=", 5) == 0 && arg[5]) {
		c->kind = CONSOLE_UNIX;
		c->path = arg + 5;
	} else if (strncmp(arg, "file=", 5) == 0 && arg[5]) {
		c->kind = CONSOLE_FILE;
		c->path = arg + 5;
	}
	return c->kind != CONSOLE_NONE || strcmp(arg, "none") == 0;
}

int run_option_console(struct vm_config *cfg, const char *arg)
{
	if (parse_console_kind(&cfg->console, arg))
		return 0;
	cfg->console.kind = CONSOLE_STDIO;
	if (strcmp(arg, "stdio") == 0)
		return 0;
	return cli_fail(CMD, "--console: '%s' is not stdio, pty, unix=PATH, file=FILE or none",
			arg);
}

int run_option_hvc(struct vm_config *cfg, const char *arg)
{
	if (parse_console_kind(&cfg->hvc, arg))
		return 0;
	return cli_fail(CMD, "--virtio-console: '%s' is not pty, unix=PATH, file=FILE or none",
			arg);
}

static int parse_seconds(const char *name, const char *arg, double *out)
{
	if (cli_parse_duration(arg, 1e9, out))
		return cli_fail(CMD, "%s: '%s' is not a number of seconds above 0", name, arg);
	return 0;
}

int run_option_power_off(struct vm_config *cfg, const char *arg)
{
	return parse_seconds("--power-off", arg, &cfg->power_off_s);
}

int run_option_timeout(struct vm_config *cfg, const char *arg)
{
	return parse_seconds("--timeout", arg, &cfg->timeout_s);
}

int run_option_share_cwd(struct vm_config *cfg, const char *arg)
{
	bool on;
	int ret = run_option_switch("share-cwd", arg, &on);

	if (ret)
		return ret;
	cfg->share_cwd = on ? SHARE_CWD_ON : SHARE_CWD_OFF;
	return 0;
}

int run_option_noise(struct vm_config *cfg, const char *arg)
{
	if (strcmp(arg, "none") == 0)
		return 0;
	return run_option_append("noise", arg, cfg->noise, &cfg->noise_count, NOISE_SPECS_MAX);
}
