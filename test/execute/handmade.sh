# Traces made by hand, run again: what is right is accepted, every planted fault is noticed.
exec "$B/test/execute/handmade"
