# make install: what it puts below DESTDIR works from there, without the build folder.
. "$(dirname "$0")/common.sh"
pocl=$(cat /etc/OpenCL/vendors/pocl.icd 2> /dev/null) || { echo "no OpenCL driver: package pocl-opencl-icd"; exit 77; }
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac
mkdir "$T/build" && cp -r "$B"/clweave* "$B"/libclweave.so "$T/build/" || fail "no build"
# the recipes as make would run them, on what is built already
make -n B="$T/build" PREFIX=/opt/cw DESTDIR="$T/root" install -o all 2> "$T/err" | grep -v '^make' > "$T/recipe"
sh -e "$T/recipe" > "$T/out" 2>> "$T/err" || { cat "$T/out" "$T/err"; fail "the installation fails"; }
rm -r "$T/build"
root=$T/root/opt/cw
for f in bin/clweave lib/libclweave.so share/doc/clweave/FORMAT.md share/man/man1/clweave.1; do
    [ -s "$root/$f" ] || fail "$f is not installed"
done
bash -n "$root/share/bash-completion/completions/clweave" || fail "the completion is no bash"
OCL_ICD_VENDORS=$pocl "$root/bin/clweave" trace -o "$T/app.json" -- "$B/test/apps/reduction" > "$T/out" 2> "$T/err" && [ -s "$T/app.json" ] ||
    { cat "$T/out" "$T/err"; fail "the installed tool does not trace"; }
finish
