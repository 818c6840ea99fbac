#!/bin/bash
# weave against all other policies on 500 graphs of 10 to 3000 tasks.
# SLICES=4
ALL=1 exec "$B/test/unit/test_sched_portfolio"
