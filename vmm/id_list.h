/* SPDX-License-Identifier: MIT */
/* Lists of numbers as people write them for CPUs: "0-3,8". */
#ifndef VPUP_VMM_ID_LIST_H
#define VPUP_VMM_ID_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmm/err.h"

#define ID_LIST_MAX 65536 /* entries */

/* In the order in which they were given; a number may come more than once. */
struct id_list {
	uint32_t *id; /* [count], owned */
	size_t count;
};

/*
 * Parses numbers and ranges with commas between, none above max. Returns 0; -EINVAL with e saying
 * what is wrong, without a prefix; -ENOMEM. l, zeroed before, is for id_list_fini() in any case.
 */
int id_list_parse(struct id_list *l, const char *text, uint32_t max, struct err *e);
void id_list_fini(struct id_list *l);

/* Returns 0, or -ENOMEM, or -E2BIG above ID_LIST_MAX. */
int id_list_add(struct id_list *l, uint32_t id);

bool id_list_has(const struct id_list *l, uint32_t id);

/* Writes the list with ranges where it rises by one; a text that is cut ends in "...". */
#define ID_LIST_TEXT_SIZE 64
void id_list_text(const struct id_list *l, char text[ID_LIST_TEXT_SIZE]);

#endif
