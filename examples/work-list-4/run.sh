#!/bin/sh
# Render several frames of a movie, each by its number.
cd "$(dirname "$0")" || exit
mkdir -p frames
tally run render --range 1-3 -- ./blender mymodel.blend -o 'frames/frame_####' -f {}
