/** Pure: the options of a benchmark. */

export interface BenchOptions {
  /** Small sizes: checks that the benchmarks work, not how fast. */
  readonly isQuick: boolean;
  /** Also run the API benchmark against a real kube-apiserver. */
  readonly hasPeer: boolean;
}

const FLAGS = { quick: "--quick", peer: "--peer" };

export interface AskedBenchmarks {
  readonly options: BenchOptions;
  readonly names: readonly string[];
}

export function parseArguments(given: readonly string[]): AskedBenchmarks {
  const names = given.filter((argument) => !Object.values(FLAGS).includes(argument));
  const options = { isQuick: given.includes(FLAGS.quick), hasPeer: given.includes(FLAGS.peer) };
  return { options, names };
}
