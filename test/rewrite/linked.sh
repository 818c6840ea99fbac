#!/bin/bash
# Programs compiled apart and linked, rewritten together (linked.c).
exec "$B/test/rewrite/linked"
