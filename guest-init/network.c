/* SPDX-License-Identifier: MIT */
/* Addresses for eth0: those that libslirp would give out by DHCP. */
#include "guest-init/network.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <net/route.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define INTERFACE "eth0"
#define ADDRESS   "10.0.2.15"
#define NETMASK   "255.255.255.0"
#define GATEWAY   "10.0.2.2"
#define RESOLVER  "10.0.2.3"

static void set_address(struct sockaddr *out, const char *text)
{
	struct sockaddr_in a = {.sin_family = AF_INET};

	inet_pton(AF_INET, text, &a.sin_addr);
	memcpy(out, &a, sizeof(*out));
}

static void set_flags(int fd, const char *name)
{
	struct ifreq r = {.ifr_flags = 0};

	strcpy(r.ifr_name, name);
	if (ioctl(fd, SIOCGIFFLAGS, &r))
		return;
	r.ifr_flags |= IFF_UP;
	ioctl(fd, SIOCSIFFLAGS, &r);
}

static int set_interface(int fd, unsigned long request, const char *address)
{
	struct ifreq r = {.ifr_name = INTERFACE};

	set_address(&r.ifr_addr, address);
	return ioctl(fd, request, &r);
}

static void set_default_route(int fd)
{
	struct rtentry route = {.rt_flags = RTF_UP | RTF_GATEWAY};

	set_address(&route.rt_dst, "0.0.0.0");
	set_address(&route.rt_genmask, "0.0.0.0");
	set_address(&route.rt_gateway, GATEWAY);
	ioctl(fd, SIOCADDRT, &route);
}

void network_up(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	FILE *f;

	if (fd < 0)
		return;
	set_flags(fd, "lo");
	if (set_interface(fd, SIOCSIFADDR, ADDRESS) == 0 &&
	    set_interface(fd, SIOCSIFNETMASK, NETMASK) == 0) {
		set_flags(fd, INTERFACE);
		set_default_route(fd);
		f = fopen("/etc/resolv.conf", "w");
		if (f) {
			fputs("nameserver " RESOLVER "\n", f);
			fclose(f);
		}
	}
	close(fd);
}
