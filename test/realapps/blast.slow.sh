#!/bin/bash
# CLBlast: a library that generates kernels with many options and enqueues several for each call.
. test/realapps/common.sh
needs_header clblast_c.h libclblast-dev
build_client blast.c -lclblast
same_everywhere "$T/blast"
same_in_run_mode "$T/blast"
grep -q '^done' "$T/bare/stdout" || fail "the program did not come to its end"
verdict
