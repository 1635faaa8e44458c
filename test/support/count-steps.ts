/** Counts how many blocks of our own code run. The count is the same on every machine. */
import { type Profiler, Session } from "node:inspector";

// Coverage starts when this file is loaded: V8 counts blocks only in functions that are compiled
// afterwards.
const profiler = new Session();
profiler.connect();
profiler.post("Profiler.enable");
profiler.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

export function countSteps(run: () => void): number {
  takeCounts();
  run();
  return takeCounts();
}

/** Taking the counts also resets them to 0. */
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
