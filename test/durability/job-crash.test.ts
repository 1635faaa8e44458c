/**
 * A crash of the controller loses nothing: each life of a Job runs once undisturbed, then once for
 * every call of the controller with a crash right before it, and once with a crash right after it.
 */
import { expect, test } from "vitest";
import { live } from "./job-life.ts";
import { LIVES } from "./job-lives.ts";

for (const [sentence, life] of Object.entries(LIVES)) {
  test(`${sentence} ends the same wherever its controller crashes`, async () => {
    const { outcome, calls } = await live(life);
    expect(calls).toBeGreaterThan(5);
    for (let call = 1; call <= calls; call++) {
      for (const moment of ["before", "after"] as const) {
        const lived = await live(life, { call, moment });
        expect({ call, moment, ...lived.outcome }).toEqual({ call, moment, ...outcome });
      }
    }
  });
}
