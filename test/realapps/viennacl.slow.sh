#!/bin/bash
# ViennaCL: an iterative solver that reads a scalar back in every step; kernels built when they are first needed.
. test/realapps/common.sh
needs_header viennacl/vector.hpp libviennacl-dev
build_client viennacl.cpp
same_everywhere "$T/viennacl"
same_in_run_mode "$T/viennacl"
grep -q '^done' "$T/bare/stdout" || fail "the program did not come to its end"
verdict
