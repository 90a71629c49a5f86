/* SPDX-License-Identifier: MIT */
/* The report as a page: a template, a style sheet, a script, and the data. */
#include <errno.h>
#include <string.h>

#include "bench/report.h"
#include "vmm/embed.h"

EMBED_FILE(report_page, "bench/report/page.html");
EMBED_FILE(report_style, "bench/report/style.css");
EMBED_FILE(report_script_data, "bench/report/data.js");
EMBED_FILE(report_script_svg, "bench/report/svg.js");
EMBED_FILE(report_script_plots, "bench/report/plots.js");
EMBED_FILE(report_script_timeline, "bench/report/timeline.js");
EMBED_FILE(report_script_page, "bench/report/page.js");

/*
 * Inside <script> only "</script" and "<!--" mean anything, but no '<' at all is easier to trust. In
 * JSON it stands in strings alone, where it has another spelling.
 */
static int write_escaped(const char *text, size_t size, void *ctx)
{
	FILE *out = ctx;

	for (size_t i = 0; i < size; i++) {
		if (text[i] == '<' || text[i] == '>' || text[i] == '&')
			fprintf(out, "\\u%04x", (unsigned)text[i]);
		else
			putc(text[i], out);
	}
	return 0; /* errors are found when the file is closed */
}

static int write_data(FILE *out, const json_t *data)
{
	return json_dump_callback(data, write_escaped, out,
				  JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(7))
		       ? -ENOMEM
		       : 0;
}

static void write_part(FILE *out, const char *from, const char *to)
{
	fwrite(from, 1, (size_t)(to - from), out);
}

/* A place in the template, on a line of its own, and what goes there. */
static int write_place(FILE *out, const char *name, size_t length, const json_t *data)
{
	const struct {
		const char *name, *from, *to;
	} parts[] = {
		{"style.css", report_style, report_style_end},
		{"data.js", report_script_data, report_script_data_end},
		{"svg.js", report_script_svg, report_script_svg_end},
		{"plots.js", report_script_plots, report_script_plots_end},
		{"timeline.js", report_script_timeline, report_script_timeline_end},
		{"page.js", report_script_page, report_script_page_end},
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strlen(parts[i].name) == length && !memcmp(parts[i].name, name, length)) {
			write_part(out, parts[i].from, parts[i].to);
			return 0;
		}
	}
	return write_data(out, data);
}

int report_html(FILE *out, const json_t *data)
{
	const char *at = report_page, *open, *close;
	int ret = 0;

	while (ret == 0 && (open = strstr(at, "{{")) && (close = strstr(open, "}}"))) {
		write_part(out, at, open);
		ret = write_place(out, open + 2, (size_t)(close - open - 2), data);
		at = close + 2;
	}
	write_part(out, at, report_page_end);
	return ret;
}
