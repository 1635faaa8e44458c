/** A run that is killed again and again, and taken up each time. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import { Place } from "./tally-run.ts";

export interface Kills {
  readonly items: number;
  readonly kills: number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

const LONGEST_LIFE_MS = 1_200;

export async function surviveKills({ items, kills, random }: Kills): Promise<void> {
  const place = new Place();
  try {
    mkdirSync(place.path("ran"));
    const list = Array.from({ length: items }, (_, index) => `item ${index}`);
    const script = 'echo x >> "ran/$ITEM"; sleep 0.05';
    const flags = ["--resume", "-j", "2", "-q", "-a", "-"];
    const args = ["run", "mortal", ...flags, "--", "sh", "-c", script];
    for (let killed = 0; killed < kills; killed++) {
      const run = place.start(args, list.join("\n"));
      await Promise.race([run.ended, pause(random() * LONGEST_LIFE_MS)]);
      run.process.kill("SIGKILL");
      await run.ended;
    }
    expect((await place.run(args, list.join("\n"))).code).toBe(0);
    const { out } = await place.run(["results", "mortal", "--format", "json"]);
    const results = JSON.parse(out) as readonly { readonly state: string }[];
    expect(results.length).toBe(items);
    const ran = readdirSync(place.path("ran"));
    expect(ran.length).toBe(items);
    // Processes outlive the engine: not even those in flight are run again.
    const repeated = ran.filter((item) => readFileSync(place.path("ran", item), "utf8") !== "x\n");
    expect(repeated).toEqual([]);
  } finally {
    place.dispose();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
