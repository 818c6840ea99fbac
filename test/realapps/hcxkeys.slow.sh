#!/bin/bash
# Wi-Fi keys from pass words: one long kernel of pure arithmetic again and again, each time with a new buffer's contents,
# and a last batch that is shorter. The result is a file.
. test/realapps/common.sh
needs wlangenpmkocl hcxkeys
seq -f 'password%04g' 1 400 > "$T/input/list"
same_everywhere wlangenpmkocl -e mynetwork -i "$T/input/list" -A @work@/keys
[ "$(wc -l < "$T/bare/work/keys")" = 400 ] || fail "not 400 keys"
same_in_run_mode wlangenpmkocl -e mynetwork -i "$T/input/list" -A @work@/keys
verdict
