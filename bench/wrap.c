/* SPDX-License-Identifier: MIT */
/* Long lines, broken between words. */
#include "bench/wrap.h"

#include <string.h>

#define INDENT 4

void wrap_print(FILE *out, const char *text, size_t width)
{
	size_t used = 0, begin = 0; /* of this line: so far, and before its first word */

	while (*text) {
		size_t blanks = strspn(text, " "), word = strcspn(text + blanks, " ");

		if (used > begin && used + blanks + word > width) {
			fprintf(out, "\n%*s", INDENT, "");
			begin = used = INDENT;
			text += blanks;
			blanks = 0;
		}
		fwrite(text, 1, blanks + word, out);
		used += blanks + word;
		text += blanks + word;
	}
	fputc('\n', out);
}
