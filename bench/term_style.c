/* SPDX-License-Identifier: MIT */
/* What a stream can show: plots, which characters, colours, how many columns. */
#include "bench/term_style.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct term_style term_style_from(const struct term_facts *facts)
{
	bool is_terminal =
		facts->is_tty && facts->term && *facts->term && strcmp(facts->term, "dumb") != 0;
	bool is_narrow = facts->columns && facts->columns < TERM_WIDTH_MAX;

	return (struct term_style){
		.is_terminal = is_terminal,
		.has_utf8 = strcmp(facts->codeset, "UTF-8") == 0,
		.has_colour = is_terminal && !(facts->no_color && *facts->no_color),
		.width = is_terminal && is_narrow ? facts->columns : TERM_WIDTH_MAX,
	};
}

struct term_style term_style_of(FILE *out)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	struct winsize size = {.ws_col = 0};
	struct term_facts facts = {
		.is_tty = isatty(fileno(out)),
		.term = getenv("TERM"),
		.no_color = getenv("NO_COLOR"),
		.codeset = locale ? nl_langinfo_l(CODESET, locale) : "",
	};
	struct term_style style;

	if (facts.is_tty && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
		facts.columns = size.ws_col;
	style = term_style_from(&facts);
	if (locale)
		freelocale(locale);
	return style;
}
