# io_fail.sh, for more calls.
ALL=1
. test/runmode/io_fail.sh
