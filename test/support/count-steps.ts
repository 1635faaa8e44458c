/** Counts the blocks of our own code that run, which is the same number on every machine. */
import { type Profiler, Session } from "node:inspector";

// From the start: blocks are counted only in functions that are compiled from then on.
const profiler = new Session();
profiler.connect();
profiler.post("Profiler.enable");
profiler.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

export function countSteps(run: () => void): number {
  takeCounts();
  run();
  return takeCounts();
}

/** Taking them sets them back to 0. */
function takeCounts(): number {
  let steps = 0;
  const add = (_: Error | null, coverage: Profiler.TakePreciseCoverageReturnType) => {
    for (const { url, functions } of coverage.result) {
      if (!url.includes("/src/") || url.includes("/node_modules/")) continue;
      for (const { ranges } of functions) for (const { count } of ranges) steps += count;
    }
  };
  profiler.post("Profiler.takePreciseCoverage", add);
  return steps;
}
