# Every kind of command, in traces made by hand, run again.
exec "$B/test/execute/commands"
