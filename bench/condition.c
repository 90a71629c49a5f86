/* SPDX-License-Identifier: MIT */
/* Conditions on the cells of a measurement. */
#include "bench/condition.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench/conf.h"
#include "vmm/cli.h"

/* A name that begins another stands behind it. */
static const struct {
	const char *name;
	enum condition_op op;
} ops[] = {
	{"!=", OP_UNEQUAL}, {"<=", OP_LESS_EQUAL}, {">=", OP_MORE_EQUAL},
	{"=", OP_EQUAL},    {"<", OP_LESS},        {">", OP_MORE},
};

#define OPS (sizeof(ops) / sizeof(ops[0]))

static int term_parse(struct condition_term *term, char *text, struct err *e)
{
	char *at = text + strcspn(text, "!<=>"), whole[64];

	snprintf(whole, sizeof(whole), "%s", text);
	for (size_t i = 0; *at && i < OPS; i++) {
		size_t length = strlen(ops[i].name);

		if (strncmp(at, ops[i].name, length) != 0)
			continue;
		*at = '\0';
		*term = (struct condition_term){conf_trim(text), conf_trim(at + length), ops[i].op};
		if (*term->left && *term->right && !strpbrk(term->right, "!<=>"))
			return 0;
		break;
	}
	return err_set(e, EINVAL, "'%s' is no condition, such as 'nodes > cpus' or 'lpj = known'",
		       whole);
}

int condition_parse(struct condition *c, char *text, struct err *e)
{
	static const char separator[] = " and ";
	int ret = 0;

	*c = (struct condition){.terms = 0};
	for (char *next; text && ret == 0; text = next) {
		next = strstr(text, separator);
		if (next) {
			*next = '\0';
			next += strlen(separator);
		}
		if (c->terms == CONDITION_TERMS)
			return err_set(e, EINVAL, "more than %d terms", CONDITION_TERMS);
		ret = term_parse(&c->term[c->terms++], conf_trim(text), e);
	}
	return ret;
}

static bool op_holds(enum condition_op op, bool is_less, bool is_equal)
{
	switch (op) {
	case OP_EQUAL:
		return is_equal;
	case OP_UNEQUAL:
		return !is_equal;
	case OP_LESS:
		return is_less;
	case OP_LESS_EQUAL:
		return is_less || is_equal;
	case OP_MORE:
		return !is_less && !is_equal;
	case OP_MORE_EQUAL:
		return !is_less;
	}
	return false;
}

static bool term_holds(const struct condition_term *term, condition_lookup lookup, void *ctx)
{
	const char *left = lookup(ctx, term->left), *right = lookup(ctx, term->right);
	uint64_t a, b;

	if (!left)
		return false;
	if (!right)
		right = term->right;
	if (cli_parse_u64(left, 0, UINT64_MAX, &a) == 0 &&
	    cli_parse_u64(right, 0, UINT64_MAX, &b) == 0)
		return op_holds(term->op, a < b, a == b);
	if (term->op != OP_EQUAL && term->op != OP_UNEQUAL)
		return false;
	return op_holds(term->op, false, strcmp(left, right) == 0);
}

bool condition_holds(const struct condition *c, condition_lookup lookup, void *ctx)
{
	for (size_t i = 0; i < c->terms; i++) {
		if (!term_holds(&c->term[i], lookup, ctx))
			return false;
	}
	return true;
}

static const char *op_name(enum condition_op op)
{
	size_t i = 0;

	while (ops[i].op != op)
		i++;
	return ops[i].name;
}

const char *condition_text(const struct condition *c, char text[CONDITION_TEXT_SIZE])
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < c->terms && used < CONDITION_TEXT_SIZE; i++) {
		const struct condition_term *term = &c->term[i];

		used += (size_t)snprintf(text + used, CONDITION_TEXT_SIZE - used, "%s%s %s %s",
					 i ? " and " : "", term->left, op_name(term->op),
					 term->right);
	}
	return text;
}
