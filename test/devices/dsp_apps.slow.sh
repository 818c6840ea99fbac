# Sample programs, on the DSP and on the CPU beside it: the bytes of a bare run
. test/devices/common.sh
# (not threads, nor userevents_maps: both hang on native `basic` devices, bare)
for app in blockmatmul chains8 events_ooo images jacobi manybufs mapreduce reduction svm featurefusion; do
    want=$(env LC_ALL=C timeout 60 "$B/test/apps/$app") || fail "$app: bare run failed"
    for device in 0 1 4; do
        got=$(under CLWEAVE_DSP=4 CLWEAVE_DSP_CLOCK=virtual APP_DEVICE=$device timeout 60 "$B/test/apps/$app") || fail "$app on device $device failed: $got"
        [ "$got" = "$want" ] || fail "$app on device $device: $got instead of $want"
    done
done
