#!/bin/sh
# Render blocks of a hundred frames, so that the program is started three times, not three hundred.
cd "$(dirname "$0")" || exit
tally run render-blocks --range 1-300 --batch 100 -- ./blender mymodel.blend -o 'frame_####' \
  --frame-start {ITEM_FIRST} --frame-end {ITEM_LAST}
