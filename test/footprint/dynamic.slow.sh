#!/bin/bash
# dynamic.sh with more false claims.
ALL=1
. test/footprint/dynamic.sh
