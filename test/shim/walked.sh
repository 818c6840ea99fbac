# The recorder's call sites, many frames each, of a program that has closed all descriptors: its files are its own.
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac
${CC:-cc} -std=gnu11 -O0 -fno-asynchronous-unwind-tables -fno-omit-frame-pointer -DCL_TARGET_OPENCL_VERSION=120 -o "$T/walked" \
    test/shim/walked.c -lOpenCL || exit 1
"$T/walked" > "$T/bare" || exit 1
"$B/clweave" trace --set callsites=8 -o "$T/trace.json" "$T/walked" > "$T/traced" 2> "$T/err" || { cat "$T/err"; exit 1; }
diff "$T/bare" "$T/traced" || exit 1
[ "$(cat "$T/bare")" = "done" ] || exit 1
# the kernel reads no memory for the program: another walk
"$T/walked" refused > "$T/bare" || exit
"$B/clweave" trace --set callsites=8 -o "$T/trace.json" "$T/walked" refused > "$T/traced" 2> "$T/err" || { cat "$T/err"; exit 1; }
diff "$T/bare" "$T/traced" || exit 1
grep -q '"callsite":\["0x' "$T/trace.json"
