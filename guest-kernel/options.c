/* SPDX-License-Identifier: MIT */
/* The guest's command line. */
#include "guest-kernel/options.h"

#include "guest-kernel/abi/trace.h"
#include "guest-kernel/shutdown.h"
#include "guest-kernel/string.h"
#include "guest-kernel/text.h"

#include <stdbool.h>

struct choice {
	const char *name; /* NULL ends a list */
	uint32_t val;
};

/*
 * One row per option: a choice out of a list, or a number from min to max, or a word without a
 * value. With a list and a max it may be either: a number is the choice without a name, which ends
 * the list, and is stored behind it.
 */
struct option {
	const char *name;
	size_t offset; /* of the uint32_t in struct options, or OPTION_TEST */
	const struct choice *choices;
	uint32_t min, max; /* a word without a value has max 0 */
};

static const struct choice smp_choices[] = {
	{"serial", TRACE_SMP_SERIAL}, {"kick", TRACE_SMP_KICK},     {"init", TRACE_SMP_INIT},
	{"full", TRACE_SMP_FULL},     {"hvcall", TRACE_SMP_HVCALL}, {NULL, 0},
};

static const struct choice lpj_choices[] = {
	{"calibrate", TRACE_LPJ_CALIBRATE}, {"fine", TRACE_LPJ_FINE}, {"known", TRACE_LPJ_KNOWN},
	{"preset", TRACE_LPJ_PRESET},       {NULL, TRACE_LPJ_GIVEN},
};

_Static_assert(offsetof(struct options, lpj_given) == offsetof(struct options, lpj) + 4,
	       "a number stands behind the choice");

static const struct choice synic_choices[] = {
	{"off", TRACE_SYNIC_OFF},
	{"serial", TRACE_SYNIC_SERIAL},
	{"parallel", TRACE_SYNIC_PARALLEL},
	{NULL, 0},
};

static const struct choice hz_choices[] = {
	{"100", 100}, {"250", 250}, {"300", 300}, {"1000", 1000}, {NULL, 0},
};

static const struct choice tables_choices[] = {
	{"auto", OPTION_TABLES_AUTO},
	{"acpi", OPTION_TABLES_ACPI},
	{"fdt", OPTION_TABLES_FDT},
	{NULL, 0},
};

static const struct choice vmcall_choices[] = {
	{"no", 0},
	{"ok", 1},
	{NULL, 0},
};

static const struct choice checks_choices[] = {
	{"off", OPTION_CHECKS_OFF},
	{"on", OPTION_CHECKS_ON},
	{"all", OPTION_CHECKS_ALL},
	{NULL, 0},
};

static const struct choice switch_choices[] = {
	{"off", 0},
	{"on", 1},
	{NULL, 0},
};

static const struct choice measure_choices[] = {
	{"none", OPTION_MEASURE_NONE},
	{"exits", OPTION_MEASURE_EXITS},
	{NULL, 0},
};

#define WAIT_MS_MAX 3600000
#define COST_US_MAX 10000000
#define OPTION_TEST SIZE_MAX /* in place of an offset: the one value that stays text */

static const struct option options[] = {
	{"smp", offsetof(struct options, smp), smp_choices, 0, 0},
	{"lpj", offsetof(struct options, lpj), lpj_choices, 1, UINT32_MAX},
	{"synic", offsetof(struct options, synic), synic_choices, 0, 0},
	{"hz", offsetof(struct options, hz), hz_choices, 0, 0},
	{"tables", offsetof(struct options, tables), tables_choices, 0, 0},
	{"vmcall", offsetof(struct options, vmcall), vmcall_choices, 0, 0},
	{"measure", offsetof(struct options, measure), measure_choices, 0, 0},
	{"checks", offsetof(struct options, checks), checks_choices, 0, 0},
	{"stimer_first", offsetof(struct options, stimer_first), switch_choices, 0, 0},
	{"wait_ms", offsetof(struct options, wait_ms), NULL, 1, WAIT_MS_MAX},
	{"ucode_us", offsetof(struct options, ucode_us), NULL, 0, COST_US_MAX},
	{"identify_us", offsetof(struct options, identify_us), NULL, 0, COST_US_MAX},
	{"tscsync_us", offsetof(struct options, tscsync_us), NULL, 0, COST_US_MAX},
	{"online_us", offsetof(struct options, online_us), NULL, 0, COST_US_MAX},
	{"quiet", offsetof(struct options, quiet), NULL, 0, 0},
	{"test", OPTION_TEST, NULL, 0, 0},
	{NULL, 0, NULL, 0, 0},
};

static const struct options defaults = {
	.smp = TRACE_SMP_FULL,
	.lpj = TRACE_LPJ_PRESET,
	.hz = 250,
	.tables = OPTION_TABLES_AUTO,
	.wait_ms = 10000,
	.measure = OPTION_MEASURE_NONE,
};

/* Decimal digits only, at most max. */
static bool parse_number(const char *s, uint32_t max, uint32_t *out)
{
	uint64_t val = 0;

	if (*s == '\0')
		return false;
	for (; *s != '\0'; s++) {
		if (*s < '0' || *s > '9')
			return false;
		val = val * 10 + (uint64_t)(*s - '0');
		if (val > max)
			return false;
	}
	*out = (uint32_t)val;
	return true;
}

static void choose(const struct option *o, const char *value, uint32_t *field)
{
	char buf[96];
	struct text list = {.buf = buf, .size = sizeof(buf)};
	const struct choice *c;

	for (c = o->choices; c->name; c++) {
		if (string_equal(c->name, value)) {
			*field = c->val;
			return;
		}
	}
	if (o->max != 0 && parse_number(value, o->max, field + 1) && field[1] >= o->min) {
		*field = c->val;
		return;
	}
	for (c = o->choices; c->name; c++)
		text_add(&list, " %s", c->name);
	if (o->max != 0)
		text_add(&list, ", or a number from %u to %u", o->min, o->max);
	fail("%s=%s: it must be one of%s", o->name, value, buf);
}

static void set_option(struct options *out, const struct option *o, const char *value)
{
	uint32_t *field = (uint32_t *)((char *)out + o->offset);

	if (o->offset == OPTION_TEST)
		out->test = value ? value : "";
	else if (o->choices)
		choose(o, value ? value : "", field);
	else if (o->max == 0 && value)
		fail("%s=%s: %s takes no value", o->name, value, o->name);
	else if (o->max == 0)
		*field = 1;
	else if (!value || !parse_number(value, o->max, field) || *field < o->min)
		fail("%s=%s: it must be a number from %u to %u", o->name, value ? value : "",
		     o->min, o->max);
}

/* Cuts the next word off *s. Returns NULL at the end. */
static char *next_word(char **s)
{
	char *p = *s, *word;

	while (*p == ' ' || *p == '\t')
		p++;
	word = p;
	while (*p != '\0' && *p != ' ' && *p != '\t')
		p++;
	*s = *p != '\0' ? p + 1 : p;
	*p = '\0';
	return *word != '\0' ? word : NULL;
}

/* Cuts word at its first `=` and returns what follows that, or NULL. */
static char *cut_value(char *word)
{
	while (*word != '\0' && *word != '=')
		word++;
	if (*word == '\0')
		return NULL;
	*word = '\0';
	return word + 1;
}

void options_parse(struct options *o, char *cmdline)
{
	const struct option *row;
	char *word, *value;

	*o = defaults;
	while ((word = next_word(&cmdline))) {
		value = cut_value(word);
		/* The first letters tell most names apart. */
		for (row = options; row->name; row++) {
			if (row->name[0] == word[0] && string_equal(row->name, word))
				break;
		}
		if (row->name)
			set_option(o, row, value);
		else if (o->unknown_count++ == 0)
			o->unknown = word;
	}
}
