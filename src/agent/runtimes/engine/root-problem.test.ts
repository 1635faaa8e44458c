import { expect, test } from "vitest";
import type { EngineRun } from "./engine-run.ts";
import type { FoundImage } from "./images.ts";
import { rootProblem } from "./root-problem.ts";

test.each<[number | undefined, string, RegExp | undefined]>([
  [undefined, "", /image will run as root/],
  [undefined, "root", /image will run as root/],
  [undefined, "0:5", /image will run as root/],
  [undefined, "1000", undefined],
  [undefined, "1000:1000", undefined],
  [undefined, "nginx", /non-numeric user \(nginx\)/],
  [0, "1000", /breaks non-root policy/],
  [7, "root", undefined],
])("as user %s on an image of user %j: %s", (uid, user, expected) => {
  const run = { mustNotBeRoot: true, user: { groups: [], ...(uid === undefined ? {} : { uid }) } };
  const problem = rootProblem(run as unknown as EngineRun, { user } as FoundImage);
  if (expected) expect(problem).toMatch(expected);
  else expect(problem).toBeUndefined();
});

test("nothing is asked of one that may be root", () => {
  const run = { mustNotBeRoot: false, user: { uid: 0, groups: [] } } as unknown as EngineRun;
  expect(rootProblem(run, { user: "" } as FoundImage)).toBeUndefined();
});
