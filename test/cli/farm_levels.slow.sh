# The kill plans of farm_levels.sh: a hundred, over 10,000 tasks each.
ALL=1 . test/cli/farm_levels.sh
