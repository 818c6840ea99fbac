# record.sh with every program under both policies.
ALL=1
. test/runmode/record.sh
