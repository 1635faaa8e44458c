# Reads $INDEX, sets $START_FRAME and $END_FRAME.
line=$(sed -n "$((INDEX + 1))p" shared/blocks.txt)
export START_FRAME="${line% *}" END_FRAME="${line#* }"
