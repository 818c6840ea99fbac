# The layout and the words of the sources (layout.py): the order of folders, lengths, names, settings, tables, comments.
case $B in *address* | *undefined* | *thread* | *coverage* | *clang*) echo "the plain build shows it"; exit 77 ;; esac
[ "$(uname -m)" = x86_64 ] || { echo "it reads x86-64 objects"; exit 77; }
git ls-files > /dev/null 2>&1 || { echo "no git checkout: it lists the sources"; exit 77; }
(cd test/house && PYTHONDONTWRITEBYTECODE=1 python3 test_layout.py) && PYTHONDONTWRITEBYTECODE=1 python3 test/house/layout.py "$B"
