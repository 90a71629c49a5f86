/* SPDX-License-Identifier: MIT */
/*
 * For a guest with `--net user,hostfwd=tcp:127.0.0.1:FORWARD-:PORT`: listens on PORT, connects to FORWARD of
 * the host, which is forwarded back here, and sends BYTES that way and back again, each end checking what it gets. Usage:
 * net-loop FORWARD PORT BYTES. Says "net-loop: N bytes there and back" where all of it was right.
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HOST "10.0.2.2"

static struct sockaddr_in address(const char *ip, const char *port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_port = htons((uint16_t)strtoul(port, NULL, 10))};

	inet_pton(AF_INET, ip, &a.sin_addr);
	return a;
}

static uint8_t pattern(size_t at)
{
	return (uint8_t)(at * 2654435761u >> 24 ^ at);
}

static bool send_all(int fd, size_t bytes)
{
	uint8_t data[4096];

	for (size_t at = 0; at < bytes;) {
		size_t n = bytes - at < sizeof(data) ? bytes - at : sizeof(data);
		ssize_t sent;

		for (size_t i = 0; i < n; i++)
			data[i] = pattern(at + i);
		sent = write(fd, data, n);
		if (sent <= 0)
			return false;
		at += (size_t)sent;
	}
	return true;
}

static bool receive_all(int fd, size_t bytes)
{
	uint8_t data[4096];

	for (size_t at = 0; at < bytes;) {
		ssize_t n = read(fd, data, sizeof(data));

		if (n <= 0)
			return false;
		for (ssize_t i = 0; i < n; i++)
			if (data[i] != pattern(at++))
				return false;
	}
	return true;
}

/* Waits for one connection, takes all and gives it back. */
static int serve(const char *port, size_t bytes)
{
	const struct sockaddr_in a = address("0.0.0.0", port);
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1, peer;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (const struct sockaddr *)&a, sizeof(a)) || listen(fd, 1))
		return 1;
	if (fork())
		return 0;
	peer = accept(fd, NULL, NULL);
	_exit(!(receive_all(peer, bytes) && send_all(peer, bytes)));
}

int main(int argc, char **argv)
{
	struct sockaddr_in host;
	size_t bytes;
	int fd;

	if (argc != 4)
		return 2;
	host = address(HOST, argv[1]);
	bytes = strtoul(argv[3], NULL, 10);
	if (serve(argv[2], bytes)) {
		perror("net-loop: listen");
		return 1;
	}
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (const struct sockaddr *)&host, sizeof(host))) {
		perror("net-loop: connect");
		return 1;
	}
	if (!send_all(fd, bytes) || !receive_all(fd, bytes)) {
		puts("net-loop: what came is not what was sent");
		return 1;
	}
	printf("net-loop: %zu bytes there and back\n", bytes);
	return 0;
}
