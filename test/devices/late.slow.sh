# late.sh at every tile.
TILES="1 2 3 4 5 6 7 8 9 10 11 12" AFTER="0 2000 5000 10000 15000 20000 30000" . test/devices/late.sh
