/** The worlds that every run of the tests looks at, or the one that is asked for. */

const COUNT = 300;

const { SEED } = process.env;

export const isReplay = SEED !== undefined;

export const ALL_SEEDS: readonly number[] = Array.from({ length: COUNT }, (_, at) => at + 1);

export const SEEDS: readonly number[] = isReplay ? [Number(SEED)] : ALL_SEEDS;
