/** The recorded scenarios that a test plays: all of them, or a few if $TALLY_TEST_SHORT is set. */
import {
  type Played,
  playScenarios,
  recordedScenarios,
  type ServerAddress,
} from "../conformance/play-scenarios.ts";

const FEW = ["indexed-", "suspend-", "success-policy"];

export interface PlayedOf extends Played {
  /** How many must pass. */
  readonly total: number;
}

export async function playJobs(server: ServerAddress): Promise<PlayedOf> {
  const names = await recordedScenarios("jobs.json");
  const only = process.env["TALLY_TEST_SHORT"] ? FEW : undefined;
  const isPlayed = (name: string) => only === undefined || only.some((some) => name.includes(some));
  const played = await playScenarios(server, "jobs.json", only);
  return { ...played, total: names.filter(isPlayed).length };
}
