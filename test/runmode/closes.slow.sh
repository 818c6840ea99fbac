# closes.sh, more often.
ALL=1
. test/runmode/closes.sh
