/* SPDX-License-Identifier: MIT */
/* `--pin`: which host CPU each VP's thread runs on. */
#include "vmm/pin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/cli.h"

/* "VP=CPU", cut in place. */
static int parse_pair(struct pin *p, char *pair, uint32_t vps, struct err *e)
{
	char *value = strchr(pair, '=');
	uint64_t vp, cpu;

	if (!value)
		return err_set(e, EINVAL, "--pin: '%s' is not VP=CPU, as the rest of the list is",
			       pair);
	*value++ = '\0';
	if (cli_parse_u64(pair, 0, vps - 1, &vp))
		return err_set(e, EINVAL, "--pin: '%s' is not a VP: 0 to %u", pair, vps - 1);
	if (cli_parse_u64(value, 0, HOST_CPU_MAX, &cpu))
		return err_set(e, EINVAL, "--pin: '%s' is not the number of a CPU", value);
	if (p->cpu[vp] != PIN_NONE)
		return err_set(e, EINVAL, "--pin: VP %u is named twice", (uint32_t)vp);
	p->cpu[vp] = (uint32_t)cpu;
	return id_list_add(&p->used, (uint32_t)cpu) ? err_set(e, ENOMEM, "out of memory") : 0;
}

static int parse_pairs(struct pin *p, const char *text, uint32_t vps, struct err *e)
{
	char *copy = strdup(text), *save = NULL, *pair;
	int ret = 0;

	if (!copy)
		return err_set(e, ENOMEM, "out of memory");
	for (pair = strtok_r(copy, ",", &save); pair && ret == 0; pair = strtok_r(NULL, ",", &save))
		ret = parse_pair(p, pair, vps, e);
	free(copy);
	return ret;
}

static int parse_turns(struct pin *p, const char *text, uint32_t vps, struct err *e)
{
	struct err why;
	int ret = id_list_parse(&p->used, text, HOST_CPU_MAX, &why);

	if (ret)
		return err_set(e, -ret, "--pin: %s", why.text);
	for (uint32_t i = 0; i < vps; i++)
		p->cpu[i] = p->used.id[i % p->used.count];
	return 0;
}

int pin_init(struct pin *p, const char *text, uint32_t vps, struct err *e)
{
	int ret;

	*p = (struct pin){0};
	if (!text)
		return 0;
	p->cpu = malloc(vps * sizeof(*p->cpu));
	if (!p->cpu)
		return err_set(e, ENOMEM, "out of memory");
	memset(p->cpu, 0xff, vps * sizeof(*p->cpu));
	ret = strchr(text, '=') ? parse_pairs(p, text, vps, e) : parse_turns(p, text, vps, e);
	return ret ? ret : host_cpus_check(&p->used, "--pin", e);
}

void pin_fini(struct pin *p)
{
	free(p->cpu);
	id_list_fini(&p->used);
	*p = (struct pin){0};
}

int pin_bind(const struct pin *p, uint32_t vp, pthread_attr_t *attr)
{
	if (!p->cpu || p->cpu[vp] == PIN_NONE)
		return 0;
	return host_cpus_bind(attr, &p->cpu[vp], 1);
}
