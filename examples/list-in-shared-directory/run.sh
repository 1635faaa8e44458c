#!/bin/sh
# The list is in a directory that all pods can read. A script there turns the index into variables.
cd "$(dirname "$0")" || exit
tally run render-shared --completions=3 --completion-index-var-name=INDEX -- \
  '. ./shared/setupenv.sh && ./blender mymodel.blend -o frame_#### \
    --frame-start $START_FRAME --frame-end $END_FRAME'
