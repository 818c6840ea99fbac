#!/bin/bash
# All own kernels on the first OpenCL device.
set -u
. test/footprint/common.sh
check --pocl --tiles 6 $here/own.json $here/kernels
