/** Pure: how a benchmark is asked to run. */

export interface BenchOptions {
  /** Small sizes: to see that it works, not how fast. */
  readonly isQuick: boolean;
  /** The API benchmark runs against a real kube-apiserver as well. */
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
