# groups.sh with more seeds.
SEEDS=$(seq 30)
. test/runmode/groups.sh
