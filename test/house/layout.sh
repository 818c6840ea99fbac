# The layout and the words of the sources: no call or include upward, lengths, names, settings, tables (layout.py).
case $B in *address* | *undefined* | *thread* | *coverage*) echo "the plain build shows it"; exit 77 ;; esac
python3 test/house/layout.py "$B"
