# The benches' statistics: known answers, and how often their intervals hold the truth where it is known; the report of saved
# figures, with limits, groups and a control.
exec python3 test/bench/test_pairs.py
