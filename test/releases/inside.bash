# inside.bash REGEX - what test/releases/run does within a release: packages, build, and the suites with each driver.
# DRIVERS, WAYS, JOBS: as there.
set -eu
cd "$(dirname "$0")/../.."
apt-get -qq update
apt-get -qq install -y --no-install-recommends make > /dev/null
scripts/deps.sh build
packages="pocl-opencl-icd mesa-opencl-icd ocl-icd-libopencl1 python3 libcmocka-dev procps"
apt-get -qq install -y --no-install-recommends $packages > /dev/null
date -u +'%Y-%m-%d'
for name in $packages; do dpkg-query -W -f '${Package} ${Version}\n' $name; done | head -n 3
CLWEAVE_SKIP_DEPS=1 make -j"$JOBS" > build.log 2>&1 && CLWEAVE_SKIP_DEPS=1 make -j"$JOBS" tests >> build.log 2>&1 || { tail -n 30 build.log; exit 1; }

# manifest DRIVER : the programs that end with 0 bare on that driver, in the form of test/suites; names of the others on stderr
manifest() {
    local source name folder status compare args
    for source in test/apps/*.c test/runmode/*.c test/vendor/*.c; do
        name=$(basename "$source" .c) folder=$(basename "$(dirname "$source")")
        [[ -x build/test/$folder/$name && $folder/$name =~ $regex ]] || continue
        # the one leaves none for the witness of what is read; the other asks PoCL for other devices than its own
        [ "$name" != descriptors ] && [ "$name" != devices_by_driver ] || continue
        case $1/$name in
        */order | */crowd | rusticl/staged) compare="compare=status,stdout,files" ;; # what they read depends on the threads' order
        */binaries) compare="compare=status,stdout,files" ;; # it reads the padding of float3
        *) compare= ;;
        esac
        # PoCL 7.1's handles have new addresses for thousands of rounds, and the registry an entry for each
        args=
        [ "$name" != many ] || args=" 48000"
        status=0
        timeout 120 "build/test/$folder/$name" > /dev/null 2>&1 || status=$?
        if [ $status = 0 ]; then echo "$folder/$name limit=240 allows=none $compare -- '$PWD/build/test/$folder/$name'$args"
        else echo "  $1: $folder/$name ends with $status bare" >&2; fi
    done
}
regex=$1 differences=0
for driver in $DRIVERS; do
    icd=/etc/OpenCL/vendors/$driver.icd
    [ -e "$icd" ] || { echo "$driver: this release has none"; continue; }
    export OCL_ICD_VENDORS=$icd
    [ "$driver" != rusticl ] || export RUSTICL_ENABLE=llvmpipe
    # findings/pocl_callbacks.sh
    [ "$driver" != pocl ] || dpkg --compare-versions "$(dpkg-query -W -f '${Version}' pocl-opencl-icd)" lt 7 || export APP_NO_CALLBACKS=1
    manifest "$driver" > "build/$driver.list"
    echo "$driver: $(grep -c . "build/$driver.list") programs, $(wc -w <<< "$WAYS") ways"
    test/suites/suite.py "build/$driver.list" --bare 2 --again 4 --jobs "$JOBS" --quiet --seeds 2 --repeat 1 \
        $(printf -- '-c %s ' $WAYS) || differences=1
    unset OCL_ICD_VENDORS RUSTICL_ENABLE APP_NO_CALLBACKS
done
exit $differences
