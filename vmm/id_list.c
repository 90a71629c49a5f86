/* SPDX-License-Identifier: MIT */
/* Lists of numbers as people write them for CPUs: "0-3,8". */
#include "vmm/id_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/cli.h"

#define PART_MAX 32 /* characters of one number or range */

int id_list_add(struct id_list *l, uint32_t id)
{
	/* Powers of two, so that the capacity need not be kept. */
	if (l->count == ID_LIST_MAX)
		return -E2BIG;
	if ((l->count & (l->count - 1)) == 0) {
		size_t capacity = l->count ? 2 * l->count : 1;
		uint32_t *grown = realloc(l->id, capacity * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		l->id = grown;
	}
	l->id[l->count++] = id;
	return 0;
}

/* One number, or two with a dash between. */
static int parse_part(struct id_list *l, char *part, uint32_t max, struct err *e)
{
	char *dash = strchr(part, '-');
	uint64_t first, last;
	int ret = 0;

	if (dash)
		*dash = '\0';
	if (cli_parse_u64(part, 0, max, &first) ||
	    cli_parse_u64(dash ? dash + 1 : part, 0, max, &last) || last < first) {
		if (dash)
			*dash = '-';
		return err_set(e, EINVAL, "'%s' is not a number or a rising range up to %u", part,
			       max);
	}
	for (uint64_t id = first; id <= last && ret == 0; id++)
		ret = id_list_add(l, (uint32_t)id);
	return ret ? err_set(e, -ret, "too many numbers: at most %d", ID_LIST_MAX) : 0;
}

int id_list_parse(struct id_list *l, const char *text, uint32_t max, struct err *e)
{
	int ret = 0;

	for (const char *p = text; ret == 0; p++) {
		size_t len = strcspn(p, ",");
		char part[PART_MAX];

		snprintf(part, sizeof(part), "%.*s", (int)(len < PART_MAX ? len : PART_MAX), p);
		ret = parse_part(l, part, max, e);
		p += len;
		if (!*p)
			break;
	}
	return ret;
}

void id_list_fini(struct id_list *l)
{
	free(l->id);
	*l = (struct id_list){0};
}

bool id_list_has(const struct id_list *l, uint32_t id)
{
	for (size_t i = 0; i < l->count; i++) {
		if (l->id[i] == id)
			return true;
	}
	return false;
}

void id_list_text(const struct id_list *l, char text[ID_LIST_TEXT_SIZE])
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < l->count;) {
		size_t last = i;
		char part[PART_MAX];
		int len;

		while (last + 1 < l->count && l->id[last + 1] == l->id[last] + 1)
			last++;
		len = last > i ? snprintf(part, sizeof(part), "%s%u-%u", i ? "," : "", l->id[i],
					  l->id[last])
			       : snprintf(part, sizeof(part), "%s%u", i ? "," : "", l->id[i]);
		if (used + (size_t)len + sizeof("...") > ID_LIST_TEXT_SIZE) {
			strcpy(text + used, "...");
			return;
		}
		memcpy(text + used, part, (size_t)len + 1);
		used += (size_t)len;
		i = last + 1;
	}
}
