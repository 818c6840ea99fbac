#!/bin/bash
# pyopencl: links libOpenCL from a module that Python loads privately; scans, reductions, sorts from generated sources.
. test/realapps/common.sh
needs_module pyopencl python3-pyopencl
needs_module mako python3-mako
same_everywhere "$python" "$PWD/test/realapps/pyopencl_arrays.py"
grep -q '^done' "$T/bare/stdout" || fail "the script did not come to its end"
verdict
