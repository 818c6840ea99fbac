# Threads that race to the first call, and forked children: everybody sees the same devices. The same under the thread
# sanitizer where it is installed.
. test/devices/common.sh
n=$("$B/clweave" devices --json | grep -c '"name"') || true
for i in 1 2 3 4 5; do
    under timeout 240 "$B/test/devices/first_calls" "$n" || fail "helpers only: wrong devices"
    under CLWEAVE_DSP=3 timeout 240 "$B/test/devices/first_calls" $((n + 3)) || fail "three DSPs: wrong devices"
done
