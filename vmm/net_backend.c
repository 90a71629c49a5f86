/* SPDX-License-Identifier: MIT */
/* Which backend a --net names. */
#include "vmm/net_backend.h"

#include <errno.h>
#include <string.h>

#define TAP "tap="

int net_backend_open(struct net_backend **b, const char *spec, struct err *e)
{
	if (strcmp(spec, "user") == 0)
		return net_user_open(b, "", e);
	if (strncmp(spec, "user,", 5) == 0)
		return net_user_open(b, spec + 5, e);
	if (strncmp(spec, TAP, strlen(TAP)) == 0)
		return net_tap_open(b, spec + strlen(TAP), e);
	return err_set(e, EINVAL,
		       "--net: '%s' is not user, user,hostfwd=tcp::HOSTPORT-:GUESTPORT or tap=IF",
		       spec);
}
