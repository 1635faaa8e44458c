/** Patches that grow, that never end, or that write to forbidden fields. */
import { expect } from "vitest";
import { type Attack, CONFIG_MAPS, DEFAULT, expectNothingTold, played, request } from "./attack.ts";
import { ask } from "./target.ts";

const VICTIM = `${CONFIG_MAPS}/victim`;
const TYPES = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

const patch = (type: keyof typeof TYPES, body: unknown, path = VICTIM) => ({
  method: "PATCH",
  path: type === "apply" ? `${path}?fieldManager=m` : path,
  headers: { "Content-Type": TYPES[type] },
  body,
});

const doubling = Array.from({ length: 60 }, (_, at) => ({
  op: "copy",
  from: "/data",
  path: `/data/x${at}`,
}));
const many = (count: number) => Array.from({ length: count }, (_, at) => String(at));

const REFUSED: readonly Attack[] = [
  request("copies that double sixty times", [400, 413, 422], patch("json", doubling)),
  request(
    "ten thousand and one operations",
    413,
    patch(
      "json",
      Array.from({ length: 10_001 }, () => ({ op: "test", path: "/kind", value: "ConfigMap" })),
    ),
  ),
  request(
    "a path a hundred thousand levels deep",
    422,
    patch("json", [{ op: "add", path: "/a".repeat(100_000), value: 1 }]),
  ),
  request(
    "an index that exceeds all integers",
    422,
    patch("json", [{ op: "add", path: "/metadata/finalizers/99999999999999999999", value: "a" }]),
  ),
  request(
    "a move of a field into a part of itself",
    422,
    patch("json", [{ op: "move", from: "/data", path: "/data/a/b" }]),
  ),
  request(
    "an operation named constructor",
    422,
    patch("json", [{ op: "constructor", path: "/a", value: 1 }]),
  ),
  request("an operation that is not an object", 400, patch("json", ["a"])),
  request(
    "a patch that changes the name",
    [400, 422],
    patch("merge", { metadata: { name: "other" } }),
  ),
  request(
    "a patch that changes the UID",
    [409, 422],
    patch("merge", { metadata: { uid: "other" } }),
  ),
  request(
    "a merge five thousand levels deep",
    [400, 422],
    patch("merge", `${'{"data":'.repeat(5000)}1${"}".repeat(5000)}`),
  ),
  request(
    "an unknown $patch directive",
    [400, 422],
    patch("strategic", { data: { $patch: "everything" } }),
  ),
  request(
    "deletions from a field that is not a list",
    413,
    patch("strategic", { "$deleteFromPrimitiveList/data": many(100_000) }),
  ),
  request(
    "an order of a hundred thousand missing items",
    413,
    patch(
      "strategic",
      { spec: { "$setElementOrder/containers": many(100_000) } },
      `${DEFAULT}/pods/victim`,
    ),
  ),
  request(
    "twenty thousand containers merged into a pod",
    [400, 413, 422],
    patch(
      "strategic",
      { spec: { containers: many(20_000).map((name) => ({ name: `c${name}`, image: "i" })) } },
      `${DEFAULT}/pods/victim`,
    ),
  ),
  request("an apply whose anchors grow ninefold", 400, patch("apply", laughs())),
  request(
    "an apply of the same container five thousand times",
    [400, 422, 500],
    patch(
      "apply",
      JSON.stringify({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "victim" },
        spec: { containers: many(5_000).map(() => ({ name: "c", image: "i" })) },
      }),
      `${DEFAULT}/pods/victim`,
    ),
  ),
  request(
    "an apply of another kind",
    400,
    patch("apply", "apiVersion: v1\nkind: Secret\nmetadata: {name: victim}\n"),
  ),
  request("a patch with an unknown content type", 415, {
    ...patch("json", []),
    headers: { "Content-Type": "application/constructor" },
  }),
];

function laughs(): string {
  const lines = ["a0: &a0 [x]"];
  for (let n = 1; n < 15; n++) lines.push(`a${n}: &a${n} [${`*a${n - 1},`.repeat(9)}]`);
  return `${lines.join("\n")}\napiVersion: v1\nkind: ConfigMap\n`;
}

const POLLUTION: readonly Attack[] = (
  [
    ["json", "its __proto__", [{ op: "add", path: "/__proto__/polluted", value: "yes" }]],
    [
      "json",
      "its constructor",
      [{ op: "add", path: "/constructor/prototype/polluted", value: "yes" }],
    ],
    [
      "merge",
      "its __proto__",
      '{"__proto__":{"polluted":"yes"},"metadata":{"__proto__":{"polluted":"yes"}}}',
    ],
    [
      "strategic",
      "its __proto__",
      '{"__proto__":{"polluted":"yes"},"data":{"__proto__":{"polluted":"yes"}}}',
    ],
    [
      "apply",
      "its __proto__",
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: victim}\n__proto__: {polluted: "yes"}\n',
    ],
  ] as const
).map(([type, means, body]) =>
  played(`a ${type} patch that tries to pollute Object.prototype by ${means}`, async (target) => {
    const answer = await ask(target, patch(type, body));
    expect(answer.status).toBeLessThan(500);
    expectNothingTold(answer);
    const { text } = await ask(target, { path: "/api/v1/namespaces/own/configmaps/own" });
    expect(text).not.toContain("polluted");
  }),
);

export const PATCH_ATTACKS: readonly Attack[] = [...REFUSED, ...POLLUTION];
