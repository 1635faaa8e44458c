/** Pure: the durations of attempts: mean, median, percentile and a histogram. */

export interface Bin {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly count: number;
}

export interface Durations {
  readonly count: number;
  readonly mean: number;
  readonly median: number;
  /** The 95th percentile. */
  readonly p95: number;
  readonly longest: number;
  readonly bins: readonly Bin[];
}

const BINS = 24;
/** If the longest is this many times the shortest, the bins are logarithmic. */
const WIDE = 50;

export function composeDurations(seconds: Float64Array): Durations {
  const sorted = seconds.slice().sort();
  const count = sorted.length;
  const at = (share: number) => sorted[Math.min(count - 1, Math.floor(share * count))] ?? 0;
  const sum = sorted.reduce((total, each) => total + each, 0);
  const edges = edgesOf(at(0), at(1));
  return {
    count,
    mean: count === 0 ? 0 : sum / count,
    median: at(0.5),
    p95: at(0.95),
    longest: at(1),
    bins: fill(sorted, edges),
  };
}

function edgesOf(shortest: number, longest: number): readonly number[] {
  const low = Math.max(shortest, SHORTEST);
  if (longest / low > WIDE) {
    const factor = (longest / low) ** (1 / BINS);
    return Array.from({ length: BINS + 1 }, (_, n) => (n === 0 ? 0 : low * factor ** n));
  }
  const step = niceStep(longest / BINS);
  const bins = Math.max(1, Math.ceil(longest / step + 1e-9));
  return Array.from({ length: bins + 1 }, (_, n) => n * step);
}

/** One millisecond, the resolution of the durations. */
const SHORTEST = 0.001;

/** 1, 2 or 5 times a power of ten, which are easy to read. */
function niceStep(least: number): number {
  if (least <= SHORTEST) return SHORTEST;
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((each) => each * power >= least) ?? 10;
  return factor * power;
}

function fill(sorted: Float64Array, edges: readonly number[]): readonly Bin[] {
  const bins: Bin[] = [];
  let at = 0;
  for (let n = 0; n + 1 < edges.length; n++) {
    const [fromSeconds = 0, toSeconds = 0] = [edges[n], edges[n + 1]];
    const isLast = n + 2 === edges.length;
    const start = at;
    while (at < sorted.length && (isLast || (sorted[at] ?? 0) < toSeconds)) at++;
    bins.push({ fromSeconds, toSeconds, count: at - start });
  }
  return bins;
}
