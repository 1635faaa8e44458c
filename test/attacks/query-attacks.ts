/** Query parameters that are too long, too large or forged. */
import { type Attack, CONFIG_MAPS, DEFAULT, request } from "./attack.ts";

const token = (value: object): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url").replace(/=+$/, "");

/** Each of these must be rejected, and without excessive work. */
const REFUSED: readonly (readonly [name: string, query: string])[] = [
  ["a selector with an unclosed parenthesis", `labelSelector=a+in+(${"b,".repeat(20_000)}`],
  ["a selector of a thousand parentheses", `labelSelector=${"(".repeat(10_000)}`],
  ["a selector with a very long value", `labelSelector=a%3D${"b".repeat(50_000)}`],
  ["a selector with a very large number", `labelSelector=a%3E${"9".repeat(40_000)}`],
  ["an unknown field, thousands of times", `fieldSelector=${"a%3Db,".repeat(9_000)}a%3Db`],
  ["a field selector on __proto__", "fieldSelector=__proto__%3Db"],
  ["a field with backslashes only", `fieldSelector=${"%5c".repeat(9_000)}`],
  ["an invalid continue token", `continue=${"a".repeat(50_000)}`],
  ["a continue token with a list as its version", `continue=${token({ v: [] })}`],
  [
    "a continue token that starts in another namespace",
    `continue=${token({ v: "meta.k8s.io/v1", rv: 1, start: "../../secrets/default/victim" })}`,
  ],
  ["a limit that exceeds all integers", `limit=${"9".repeat(30_000)}`],
  ["a limit that is not an integer", "limit=1e3"],
  ["a revision that exceeds all integers", `resourceVersion=${"9".repeat(30)}`],
  ["a revision that is a path", "resourceVersion=../1"],
  ["a timeout that exceeds all integers", `watch=1&timeoutSeconds=${"9".repeat(30)}`],
  ["a watch from a negative revision", "watch=1&resourceVersion=-1"],
  ["an unknown resourceVersionMatch", "resourceVersionMatch=Anything"],
];

const NAMED: readonly (readonly [name: string, method: string, query: string])[] = [
  ["an unknown dryRun value", "DELETE", "dryRun=Some"],
  ["a grace period that exceeds all integers", "DELETE", `gracePeriodSeconds=${"9".repeat(30)}`],
  ["an unknown propagation policy", "DELETE", "propagationPolicy=Everything"],
];

export const QUERY_ATTACKS: readonly Attack[] = [
  ...REFUSED.map(([name, query]) => request(name, [400, 422], { path: `${CONFIG_MAPS}?${query}` })),
  ...NAMED.map(([name, method, query]) =>
    request(name, [400, 422], { method, path: `${CONFIG_MAPS}/victim?${query}` }),
  ),
  request("a field manager with line breaks", 422, {
    method: "POST",
    path: `${CONFIG_MAPS}?fieldManager=a%0d%0ab`,
    body: { metadata: { name: "managed" } },
  }),
  request("a field manager with a very long name", 422, {
    method: "POST",
    path: `${CONFIG_MAPS}?fieldManager=${"a".repeat(10_000)}`,
    body: { metadata: { name: "managed" } },
  }),
  request("an Accept header with only unsupported types", 406, {
    path: CONFIG_MAPS,
    headers: { Accept: `${"a/b;q=0.1,".repeat(6_000)}a/b` },
  }),
  request("a log with a tailLines that exceeds all integers", [400, 422], {
    path: `${DEFAULT}/pods/victim/log?tailLines=${"9".repeat(30)}`,
  }),
  request("an invalid port", 400, {
    method: "POST",
    path: `${DEFAULT}/pods/victim/portforward?ports=99999999`,
  }),
];
