#!/bin/bash
# clpeak: twenty thousand tiny launches with an event each. Its output is figures; their number and names must agree.
. test/realapps/common.sh
needs clpeak clpeak
mask() {
    sed -E 's/[0-9]+\.[0-9]+/N/g'
}
same_everywhere clpeak --kernel-latency --use-event-timer
verdict
