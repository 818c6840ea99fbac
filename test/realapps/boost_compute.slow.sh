#!/bin/bash
# Boost.Compute: a C++ program of sorts, scans and reductions, with waits hidden in its algorithms.
. test/realapps/common.sh
needs_header boost/compute.hpp libboost-dev
build_client boost_compute.cpp -DCL_TARGET_OPENCL_VERSION=120 # the newest it knows
same_everywhere "$T/boost_compute"
same_in_run_mode "$T/boost_compute"
grep -q '^done' "$T/bare/stdout" || fail "the program did not come to its end"
verdict
