# Debian packages: dpkg-buildpackage on a fresh Debian 12, and on 13, from the packages that debian/control names, lintian without a word,
# installed, the demo's steps and debian/tests with the installed tools, purged: no file is left. Needs root, debootstrap and a
# mirror of Debian (MIRROR); packages are fetched for some minutes.
# SLICES=2
. "$(dirname "$0")/common.sh"
[ "$(id -u)" = 0 ] || { echo "not root: no chroot can be made"; exit 77; }
command -v debootstrap > /dev/null || { echo "no debootstrap: package debootstrap"; exit 77; }
unshare --mount true 2> /dev/null || { echo "no mounts of its own are allowed here"; exit 77; }
root=$T/debian release=bookworm
[ "${SLICE:-1/2}" = 1/2 ] || release=trixie
if ! debootstrap --variant=minbase $release "$root" ${MIRROR:-} > "$T/out" 2>&1; then
    tail -5 "$T/out"; echo "debootstrap fails: is its mirror there?"; exit 77
fi
# the settings by which this machine reaches its mirror
cp /etc/resolv.conf "$root/etc/" 2> /dev/null
apt-config dump 2> /dev/null | grep -E '^Acquire::(Check|http|https)' > "$root/etc/apt/apt.conf.d/99mirror"
mkdir -p "$root/src/clweave"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' f; do [ ! -e "$f" ] || printf '%s\0' "$f"; done |
    tar --null -cf - -T - | tar -xf - -C "$root/src/clweave"
inside() { # the mounts go with the process
    unshare --mount --propagation private sh -c '
        mount -t proc proc "$0/proc" && mount -t sysfs sysfs "$0/sys" && mount -t tmpfs tmpfs "$0/dev/shm" || exit 1
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive DEB_BUILD_OPTIONS=parallel=2 \
            chroot "$0" bash -euc "$1"' "$root" "$1" > "$T/out" 2>&1 || { tail -40 "$T/out"; fail "$2"; exit 1; }
}
mkdir -p "$root/dev/shm"
inside 'apt-get -qq update; apt-get -qq install -y --no-install-recommends build-essential lintian;
    cd /src/clweave; apt-get -qq build-dep -y --no-install-recommends ./' "packages for the build"
inside 'useradd -m builder; chown -R builder /src; su builder -c "cd /src/clweave && dpkg-buildpackage -us -uc"' "dpkg-buildpackage"
lintian='lintian --info --display-info --pedantic --fail-on info,warning,error'
[ $release = bookworm ] || lintian='lintian --fail-on error' # debian/ follows the policy, and overrides the faults, of Debian 12's
inside "cd /src; su builder -c '$lintian *.changes'" "lintian"
[ ! -s "$T/out" ] || [ $release != bookworm ] || { cat "$T/out"; fail "lintian says something"; }

# all that the packages and the demo need comes first, so that the difference is the packages' own
inside 'apt-get -qq install -y --no-install-recommends pkgconf libcmocka-dev hashcat clinfo librsvg2-bin \
    $(for field in Depends Recommends; do dpkg-deb -f /src/clweave_*.deb $field; done | tr , "\n" | sed "s/[(|].*//; /clweave/d")
    cd /src/clweave; su builder -c "make -j2 B=programs programs/test/apps/nbody programs/test/apps/blockmatmul"
    ldconfig' "packages for the demo"
files='find / -xdev \( -path /src -o -path /tmp -o -path /proc -o -path /sys -o -path /dev -o -path /root -o -path /home -o -path /var/cache \
    -o -path /var/log -o -path /var/lib/dpkg -o -path /var/lib/apt \) -prune -o -print | sort'
inside "$files > /src/before" "listing"
inside 'cd /src; apt-get -qq install -y --no-install-recommends ./clweave_*.deb ./libclweave0_*.deb ./libclweave-dev_*.deb' "installation"
inside "$files | comm -13 /src/before - > /src/installed; grep -qx /usr/bin/clweave /src/installed
    grep -qx /usr/lib/x86_64-linux-gnu/libclweave.so.0 /src/installed || [ \$(dpkg --print-architecture) != amd64 ]
    grep -qx /usr/share/man/man1/clweave-run.1.gz /src/installed" "files of the packages"
inside 'cd /src/clweave; su builder -c "B=programs TOOL=/usr/bin/clweave scripts/demo.sh"' "the demo with the installed tool"
cp "$T/out" "$T/demo"; grep -q 'critical path' "$T/demo" || fail "the demo says nothing"
inside 'cd /src/clweave; su builder -c debian/tests/smoke' "debian/tests/smoke"
inside 'apt-get -qq purge -y clweave libclweave0 libclweave-dev' "purge"
inside "$files | comm -3 /src/before -" "listing"
[ ! -s "$T/out" ] || { cat "$T/out"; fail "purge leaves files"; }
finish
