/* SPDX-License-Identifier: MIT */
/* What the readers of a scenario's parts share. All return 0, or -EINVAL with e saying why. */
#ifndef VPUP_BENCH_SCENARIO_READ_H
#define VPUP_BENCH_SCENARIO_READ_H

#include "bench/scenario.h"

/* The next word of *rest, or NULL. Cuts the text up. */
char *scenario_word(char **rest);

/* Nothing may be left. */
int scenario_end(char **rest, struct err *e);

/* "unknown WHAT ...", with a suggestion or what is possible. Always -EINVAL. */
int scenario_unknown(const char *what, const char *word, const char *const *words, struct err *e);

/* A metric that this vpup knows; NULL is none. */
int scenario_metric(const char *name, struct err *e);

/* A number that "vps" of a result has. */
int scenario_vp_number(const char *name, struct err *e);

struct scenario_dimension *scenario_dimension_find(struct scenario *s, const char *key);

/* The key is in [matrix]. */
int scenario_key(struct scenario *s, const char *key, struct err *e);

/* The next word as the key of a dimension of numbers. */
int scenario_number_key(struct scenario *s, char **rest, const char **key, struct err *e);

/* The next word as KEY=VALUE, of a dimension. */
int scenario_setting(struct scenario *s, char **rest, const char **key, const char **value,
		     struct err *e);

/* A condition on dimensions and facts about the host. */
int scenario_condition(struct scenario *s, struct condition *c, char *text, struct err *e);

/* A [claim NAME] begins; one of its keys; and it has ended. */
int claim_read_begin(struct scenario *s, const char *name, unsigned line, struct err *e);
int claim_read_key(struct scenario *s, struct scenario_claim *c, struct conf_entry *entry,
		   struct err *e);
int claim_read_end(const struct scenario_claim *c, struct err *e);

#endif
