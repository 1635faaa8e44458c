#!/bin/sh
# Process a matrix in rectangular blocks: the columns of the table are the parameters.
cd "$(dirname "$0")" || exit
tally run process-matrix --csv blocks.csv -- ./process_matrix_block \
  -start_row {SR} -end_row {ER} -start_col {SC} --end_col {EC}
