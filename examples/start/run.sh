#!/bin/sh
# The worked example of the README: eight fruits, three at a time. One succeeds at its second
# attempt, one never does. Ends by itself within seconds.
cd "$(dirname "$0")" || exit 1
tally="node ../../dist/main.js"
# What an earlier one left goes, unless it is still going on: its name is taken then.
$tally get jobs --data .tally >/dev/null 2>&1 || rm -rf .tally
$tally run fruits -j 3 --retries 1 --backoff 500ms -a fruits.txt -- ./weigh {}
code=$?
[ $code -le 1 ] || exit $code
cat <<END

The run has ended with exit code $code, because a fruit could not be weighed. What to do next:

  npm install -g .        makes "tally" a command, here and everywhere
  cd examples/start       is where this run was; its data are in .tally there
  tally status fruits     and the commands above work there; tally run --help tells more
END
