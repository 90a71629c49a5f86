/* SPDX-License-Identifier: MIT */
/* Port forwards from the host into the guest. */
#include "vmm/hostfwd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/cli.h"

#define KEY "hostfwd="

/* Cuts *text at the first `end`, which must be there, and returns what was before it. */
static char *cut(char **text, char end)
{
	char *part = *text, *at = strchr(part, end);

	if (!at)
		return NULL;
	*at = '\0';
	*text = at + 1;
	return part;
}

static bool parse_addr(const char *text, struct in_addr *addr)
{
	return text[0] == '\0' || inet_pton(AF_INET, text, addr) == 1;
}

static bool parse_port(const char *text, uint16_t *port)
{
	uint64_t val;

	if (cli_parse_u64(text, 1, UINT16_MAX, &val))
		return false;
	*port = (uint16_t)val;
	return true;
}

static bool parse_protocol(const char *text, bool *is_udp)
{
	*is_udp = strcmp(text, "udp") == 0;
	return *is_udp || text[0] == '\0' || strcmp(text, "tcp") == 0;
}

static bool parse_rule(struct hostfwd *r, char *text)
{
	char *protocol = cut(&text, ':'), *host_addr, *host_port, *guest_addr;

	*r = (struct hostfwd){.is_udp = false};
	host_addr = protocol ? cut(&text, ':') : NULL;
	host_port = host_addr ? cut(&text, '-') : NULL;
	guest_addr = host_port ? cut(&text, ':') : NULL;
	return guest_addr && parse_protocol(protocol, &r->is_udp) &&
	       parse_addr(host_addr, &r->host_addr) && parse_port(host_port, &r->host_port) &&
	       parse_addr(guest_addr, &r->guest_addr) && parse_port(text, &r->guest_port);
}

static int parse_part(struct hostfwd *r, const char *part, struct err *e)
{
	char *copy;
	bool is_fine;

	if (strncmp(part, KEY, strlen(KEY)))
		return err_set(e, EINVAL, "--net user: '%s' is not " KEY "RULE", part);
	copy = strdup(part + strlen(KEY));
	if (!copy)
		return err_set(e, ENOMEM, "out of memory");
	is_fine = parse_rule(r, copy);
	free(copy);
	return is_fine ? 0
		       : err_set(e, EINVAL,
				 "--net user: '%s' is not " KEY
				 "[tcp|udp]:[HOSTADDR]:HOSTPORT-[GUESTADDR]:GUESTPORT",
				 part);
}

int hostfwd_parse(struct hostfwd rule[HOSTFWD_MAX], const char *text, struct err *e)
{
	char *copy = strdup(text), *save = NULL, *part;
	int n = 0, ret = 0;

	if (!copy)
		return err_set(e, ENOMEM, "out of memory");
	for (part = strtok_r(copy, ",", &save); part && ret == 0;
	     part = strtok_r(NULL, ",", &save)) {
		if (n == HOSTFWD_MAX)
			ret = err_set(e, EINVAL, "--net user: more than %d forwards", HOSTFWD_MAX);
		else
			ret = parse_part(&rule[n++], part, e);
	}
	free(copy);
	return ret ? ret : n;
}
