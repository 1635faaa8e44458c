#!/bin/sh
# Process several files with the same program.
cd "$(dirname "$0")" || exit
tally run process-files --per-completion-env=F=@files-to-process.txt -- ./process_file '$F'
