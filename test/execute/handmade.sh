# Traces made by hand, run again: what is right is accepted, every planted fault is noticed.
# the vendor leaks, in its own threads, and upsets the leak checker of a sanitised build
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}
exec "$B/test/execute/handmade"
