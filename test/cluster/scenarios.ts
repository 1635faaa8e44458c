/** The recorded scenarios a test plays: all of them, or a few where $TALLY_TEST_SHORT is set. */
import {
  type Played,
  playPatiently,
  recordedScenarios,
  type ServerAddress,
} from "../conformance/play-scenarios.ts";

const FEW = ["indexed-", "suspend-", "success-policy"];

export interface PlayedOf extends Played {
  /** How many there are to pass. */
  readonly total: number;
}

export async function playJobs(server: ServerAddress): Promise<PlayedOf> {
  const names = await recordedScenarios("jobs.json");
  if (!process.env["TALLY_TEST_SHORT"]) {
    return { ...(await playPatiently(server, "jobs.json")), total: names.length };
  }
  const played = await Promise.all(FEW.map((some) => playPatiently(server, "jobs.json", some)));
  return {
    passed: played.reduce((sum, { passed }) => sum + passed, 0),
    failures: played.flatMap(({ failures }) => failures),
    total: FEW.flatMap((some) => names.filter((name) => name.includes(some))).length,
  };
}
