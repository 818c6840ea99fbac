# clweave doctor beside a driver that never answers: it is named, and the doctor goes on.
. "$(dirname "$0")/common.sh"
export XDG_CACHE_HOME=$T/cache
mkdir "$T/cache" "$T/vendors"
cat > "$T/hang.c" <<'C'
#include <unistd.h>
void *clGetExtensionFunctionAddress(const char *name)
{
    for (;;)
        pause();
    return (void *)name;
}
C
cc -shared -fPIC "$T/hang.c" -o "$T/hang.so" || fail "no compiler"
cp "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/pocl*.icd "$T/vendors/"
echo "$T/hang.so" > "$T/vendors/hang.icd"
OCL_ICD_VENDORS=$T/vendors clweave doctor > "$T/doctor" && fail "status 0"
grep -q "^problem: the driver of $T/vendors/hang.icd breaks OpenCL: a process that asks it does not answer" "$T/doctor" ||
    fail "the driver is not named: $(cat "$T/doctor")"
grep -q "mend: export OCL_ICD_VENDORS=$T/vendors/pocl" "$T/doctor" || fail "no way round: $(cat "$T/doctor")"
pgrep -f "$T/vendors" > /dev/null && fail "a process is left"
finish
