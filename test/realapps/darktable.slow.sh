#!/bin/bash
# darktable-cli with OpenCL on PoCL, which its list of bad drivers would refuse: five modules over one picture, images,
# copies between images and buffers, an event per kernel. The result is a PFM file, pixels without a date.
. test/realapps/common.sh
needs darktable-cli darktable
needs clinfo clinfo
WITNESS_LIMIT=280

# the picture: waves and a pattern, as text; modules' parameters are little-endian floats in hexadecimal
awk 'BEGIN { print "P3\n320 240\n255"; for (y = 0; y < 240; y++) for (x = 0; x < 320; x++)
    print int(127 + 120 * sin(x / 17)), int(y * 255 / 240), (x * 7 + y * 13) % 256 }' > "$T/input/in.ppm"
module() {
    printf '<rdf:li darktable:num="%s" darktable:operation="%s" darktable:enabled="1" darktable:modversion="%s" ' "$1" "$2" "$3"
    printf 'darktable:params="%s" darktable:multi_name="" darktable:multi_priority="0"/>\n' "$4"
}
{
    cat << 'X'
<?xml version="1.0" encoding="UTF-8"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:darktable="http://darktable.sf.net/" darktable:xmp_version="4"
 darktable:raw_params="0" darktable:auto_presets_applied="1" darktable:history_end="5" darktable:iop_order_version="2">
<darktable:history><rdf:Seq>
X
    module 0 nlmeans 2 00000040000048420000003f0000803f
    module 1 sharpen 1 000000400000003f0000003f
    module 2 highpass 1 0000f0410000a041
    module 3 bloom 1 0000a0410000b4420000c841
    module 4 soften 1 000048420000c842c3f5a83e00004842
    echo '</rdf:Seq></darktable:history></rdf:Description></rdf:RDF></x:xmpmeta>'
} > "$T/input/in.xmp"

# darktable keeps a list of devices in its configuration; the names hold what is left of the device's name
device=$(clinfo --raw 2> /dev/null | sed -n 's/.*CL_DEVICE_NAME *//p' | head -n 1 | tr A-Z a-z | tr -cd a-z0-9)
cat > "$T/input/darktablerc" << X
cldevice_v4_$device=0 1000 0 16 16 128 0 0 0.000000 0.000
cldevice_v4_${device}_id0=400
opencl=TRUE
opencl_checksum=OFF
opencl_scheduling_profile=very fast GPU
X
for home in bare tool "${!run_modes[@]}"; do
    mkdir -p "$T/home.$home/.config/darktable"
    cp "$T/input/darktablerc" "$T/home.$home/.config/darktable/"
done
# PoCL 3.1 cannot read the quoted -I of darktable's build options, but looks in the working directory
folder=/usr/share/darktable/kernels
mask() { # its log: which modules and kernels ran where, in order, without times and numbers of milliseconds
    grep -E '\[dev_pixelpipe\].* processed|\[opencl_profiling\] spent .* in ' | sed -E 's/[0-9]+([.,][0-9]+)*/N/g'
}
export_picture=(darktable-cli "$T/input/in.ppm" "$T/input/in.xmp" @work@/out.pfm --icc-type SRGB --apply-custom-presets false
    --core --library :memory: -d opencl -d perf)
same_everywhere "${export_picture[@]}"
same_in_run_mode "${export_picture[@]}"
for mode in bare $recorded; do
    modules=$(cat "$T/$mode/stdout" "$T/$mode/stderr" | grep -c 'processed .* on GPU')
    [ "$modules" -ge 5 ] || fail "$mode: only $modules modules ran on OpenCL"
done
verdict
