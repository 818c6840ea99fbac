#!/bin/bash
# hashcat: finds libOpenCL by dlopen, compiles and links programs, several threads. The first traced run compiles
# sources, the second loads the binaries that the first one cached.
. test/realapps/common.sh
needs hashcat hashcat
printf clw4 | md5sum | cut -d' ' -f1 > "$T/input/hashes"
crack=(hashcat -m 0 -a 3 "$T/input/hashes" '?l?l?l?d' --force -D 1 -d 1 --potfile-disable --quiet -o @work@/cracked
    --outfile-format 2 -w 1)
same_everywhere "${crack[@]}"
run_ways="all far far_home"
same_in_run_mode "${crack[@]}"
for mode in bare $recorded; do
    [ "$(cat "$T/$mode/work/cracked" 2> /dev/null)" = clw4 ] || fail "$mode: the password was not found"
done
verdict
