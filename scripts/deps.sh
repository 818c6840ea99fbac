#!/bin/bash
# deps.sh [build|check|demo|fuzz|slow|list] - installs the Debian packages that clweave needs and that are missing.
#
#   build  what `make` needs          check  and what the tests need (default)
#   demo   and what the demo needs
#   fuzz   what `make fuzz` needs
#   slow   all of these, and what check-all needs
#   list   print every package with its reason and install nothing
#
# -N in a name stands for a version of LLVM: one whose headers are there, else the first of $versions that the system offers. A name
# that ends in ? is of a package that later releases of Debian lack: the tests that need it are skipped there.
# CLWEAVE_SKIP_DEPS=1 trusts that everything is there. Exit 0: all present; 1: could not install, says why.
set -eu
versions='14 18 16 19 17 15'

# set   package              why
packages='
build  gcc                  compiles clweave
build  libc6-dev            headers of the C library
build  opencl-headers       OpenCL API declarations
build  ocl-icd-opencl-dev   the OpenCL loader: the tool links it, the library wraps it
build  libjansson-dev       JSON of traces, graphs and platforms
build  libsqlite3-dev       history of what kernels take, kept between runs; linked statically
build  libxxhash-dev        keys of caches: one header, nothing is linked
build  libunwind8           call sites of enqueues: loaded at run time
build  libdw1               file and line of call sites in reports: loaded at run time
build  coinor-libclp1       lower bounds by linear programming: loaded at run time
build  llvm-N-dev           kernel footprints: the C API that reads LLVM IR
build  clang-N              kernel footprints: compiles OpenCL C to LLVM IR
build  libclang-common-N-dev  kernel footprints: declarations of OpenCL C built-in functions
build  graphviz             draws graphs (dot)
check  ocl-icd-libopencl1   the OpenCL loader at run time
check  pocl-opencl-icd      OpenCL on the CPU
check  libcmocka-dev        unit tests
check  oclgrind?            memory traces that kernel footprints are checked against
check  liboclgrind-dev?     a plug-in of oclgrind that writes those traces
check  g++                  compiles that plug-in
check  python3              scripts of the tests
check  procps               process tools of the tests
check  llvm-15?             cuts down the built-in functions that PoCL reads in each process that compiles
check  protobuf-compiler    reads the timelines that are Protocol Buffers
check  nodejs               drives the browser that tests open pages in
check  chromium             that browser
demo   clinfo               a real program: queries only
demo   hashcat              a real program: the demo traces it
demo   librsvg2-bin         pictures as PNG
demo   gnuplot-nox          figures of the experiments
fuzz   libclang-rt-N-dev    libFuzzer and the sanitizers of clang
'
slow_packages='
slow   clpeak               real program of check-all
slow   ffmpeg               real program of check-all: image filters
slow   darktable            real program of check-all: images, 36 programs
slow   python3-opencv       real program of check-all: UMat
slow   python3-pyopencl     real program of check-all: scans and sorts
slow   python3-numpy        input and comparison for those
slow   python3-mako         what pyopencl writes its scans and sorts with
slow   starpu-examples      real program of check-all: several queues, polling
slow   gegl                 real program of check-all: an image graph, tile by tile
slow   hcxkeys              real program of check-all: keys from pass words
slow   clblast-tests        real program of check-all: calls that must fail, objects of one launch
slow   mandelbulber2        real program of check-all: programs of many includes, threads
slow   clfft-client         real program of check-all: on another vendor than PoCL
slow   libclblast-dev       library whose clients check-all runs: linear algebra
slow   libclfft-dev         library whose clients check-all runs: transforms
slow   libboost-dev         library whose clients check-all runs: Boost.Compute
slow   libviennacl-dev      library whose clients check-all runs: iterative solvers
slow   libufo-bin           real program of check-all: pipelines of pictures, a thread for each task
slow   ufo-filters          the tasks of that
slow   ufo-filters-data     their kernels
slow   python3-simtk?       real program of check-all: molecular dynamics
slow   libopenmm-plugins    its OpenCL
slow   valgrind             memory checks of check-all
slow   coop-computing-tools-dev  Work Queue: clweave farm hands tasks to other machines
slow   coop-computing-tools  work_queue_worker, which clweave farm worker starts there
slow   debootstrap          a fresh Debian, on which packages are built and installed
slow   zsh                  completions are tried in it
slow   fish                 completions are tried in it
slow   iproute2             network namespaces, which stand for machines
'

want=${1:-check}
case $want in
build) sets='build' ;;
check) sets='build check' ;;
demo)  sets='build check demo' ;;
fuzz)  sets='build fuzz' ;;
slow)  sets='build check demo fuzz slow' ;;
list)  ;;
*)     echo "deps.sh: unknown set '$want' (build, check, demo, fuzz, slow or list)" >&2; exit 2 ;;
esac
have=$(dpkg-query -W -f '${db:Status-Status} ${Package}, ${Provides}\n' 2>/dev/null | sed -n 's/ *([^)]*)//g; s/^installed //p' | tr -s ', ' '\n')
installed() { grep -qxF -- "$1" <<< "$have"; }
offered() { [ -n "$(apt-cache show "$1" 2>/dev/null)" ]; }

# first TEST PATTERN : the first version of LLVM for whose package the test holds
first() { for v in $versions; do ! "$1" "${2/-N/-$v}" || { echo "$v"; return; }; done; }

# rows : "package reason" of each package of the sets
rows() {
    local llvm set package why
    llvm=$(first installed llvm-N-dev); [ -n "$llvm" ] || llvm=$(first offered llvm-N-dev)
    printf '%s%s' "$packages" "$slow_packages" | while read -r set package why; do
        case " $sets " in *" $set "*) printf '%s %s\n' "${package/-N/-${llvm:-${versions%% *}}}" "$why" ;; esac
    done
}

# absent : the rows of packages that are missing, without those that the system does not have
absent() {
    rows | while read -r package why; do
        installed "${package%\?}" || { [ "$package" != "${package%\?}" ] && ! offered "${package%\?}"; } ||
            printf '%s %s\n' "${package%\?}" "$why"
    done
}

if [ "$want" = list ]; then
    printf '%s%s' "$packages" "$slow_packages" | sed "/^$/d; s/-N/-${versions%% *}/; s/? / /"
    exit 0
fi
[ "${CLWEAVE_SKIP_DEPS:-}" != 1 ] || exit 0
if [ "$want" != build ] && [ ! -d /sys/devices/system/cpu ]; then
    echo "deps.sh: /sys is not mounted here, and PoCL aborts without it (hwloc reads the topology there)." >&2
    echo "In a chroot, first: mount -t sysfs sysfs /sys (and mount -t proc proc /proc)" >&2
    exit 1
fi

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "deps.sh: this is not Debian or a derivative, so nothing is installed. clweave needs these (Debian's names):" >&2
    rows | sed 's/? / /; s/^/    /' >&2
    echo "Install your system's equivalents, then run make with CLWEAVE_SKIP_DEPS=1." >&2
    exit 1
fi
missing=$(absent)
[ -n "$missing" ] || exit 0

names() { awk '{ printf " %s", $1 }' <<< "$1"; }
as_root=
if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null; then
        as_root=sudo
    else
        echo "deps.sh: not root and no sudo; as root, run: apt-get install --no-install-recommends$(names "$missing")" >&2
        exit 1
    fi
fi
apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"; }
log=$(mktemp "${TMPDIR:-/tmp}/clweave-deps.XXXXXX"); trap 'rm -f "$log"' EXIT
refused() {
    tail -n 20 "$log" >&2
    echo "deps.sh: apt-get failed (above); is the network there, and is main among the sources of Debian 12 or 13?" >&2
    exit 1
}
echo "clweave needs packages that are missing; installing them with apt-get:"
apt update > "$log" 2>&1 < /dev/null || refused
missing=$(absent) # of what the system offers now
awk '{ name = $1; $1 = ""; printf "    %-24s%s\n", name, $0 }' <<< "$missing"
# shellcheck disable=SC2046
apt install --yes --no-install-recommends $(names "$missing") > "$log" 2>&1 < /dev/null || refused
echo "installed:$(names "$missing")"
