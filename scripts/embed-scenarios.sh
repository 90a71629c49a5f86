#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the named scenario files as a C table: embed-scenarios.sh FILE.scenario...
printf '#include <stddef.h>\n\n#include "bench/scenario.h"\n\n'
printf 'const struct scenario_file scenario_files[] = {\n'
for file; do
    printf '{"%s",\n' "$(basename "$file" .scenario)"
    sed 's/[\\"]/\\&/g; s/^/"/; s/$/\\n"/' "$file"
    printf '},\n'
done
printf '{NULL, NULL},\n};\n'
