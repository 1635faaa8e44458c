/** Pure: how a benchmark is asked to run. */

export interface BenchOptions {
  /** Small sizes: to see that it works, not how fast. */
  readonly isQuick: boolean;
}
