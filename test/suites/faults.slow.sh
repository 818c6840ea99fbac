#!/bin/bash
# faults.sh with faults in more places and programs.
ALL=1
. test/suites/faults.sh
