import { expect, test } from "vitest";
import { rootProblem } from "./root-problem.ts";

const nonRoot = { pod: "p_n(u)", container: "c" };
const userOf = (uid: number | undefined) => ({
  groups: [],
  ...(uid === undefined ? {} : { uid }),
});
const AS_ROOT = "container has runAsNonRoot and image will run as root";
const NAMED = (name: string) =>
  `container has runAsNonRoot and image has non-numeric user (${name}), ` +
  "cannot verify user is non-root";

test.each<[number | undefined, string, string | undefined]>([
  [undefined, "", AS_ROOT],
  [undefined, "root", NAMED("root")],
  [undefined, "0:5", AS_ROOT],
  [undefined, "1000", undefined],
  [undefined, "1000:1000", undefined],
  [undefined, "nginx", NAMED("nginx")],
  [undefined, "nginx:nginx", NAMED("nginx")],
  [0, "1000", "container's runAsUser breaks non-root policy"],
  [7, "root", undefined],
])("as user %s on an image of user %j: %s", (uid, user, expected) => {
  const problem = rootProblem({ nonRoot, user: userOf(uid) }, { user });
  expect(problem).toBe(expected && `${expected} (pod: "p_n(u)", container: c)`);
});

test("nothing is asked of one that may be root", () => {
  expect(rootProblem({ user: userOf(0) }, { user: "" })).toBeUndefined();
});
