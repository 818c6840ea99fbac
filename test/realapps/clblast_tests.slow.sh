#!/bin/bash
# CLBlast's own test of one routine: hundreds of calls with offsets, strides and sizes that do not fit, whose error codes
# it judges, each with buffers and programs of its own that live for one launch.
. test/realapps/common.sh
needs clblast_test_xaxpy clblast-tests
same_everywhere clblast_test_xaxpy
grep -q 'passed' "$T/bare/stdout" || fail "it judged nothing"
same_in_run_mode clblast_test_xaxpy
verdict
