/** Parameters that are too long, too large, forged or clever. */
import { type Attack, CONFIG_MAPS, DEFAULT, request } from "./attack.ts";

const token = (value: object): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url").replace(/=+$/, "");

/** What ends as these say is refused; the rest is read in a time that does not explode. */
const REFUSED: readonly (readonly [name: string, query: string])[] = [
  ["a selector that never closes", `labelSelector=a+in+(${"b,".repeat(20_000)}`],
  ["a selector of a thousand parentheses", `labelSelector=${"(".repeat(10_000)}`],
  ["a selector with a value of thousands", `labelSelector=a%3D${"b".repeat(50_000)}`],
  ["a selector with a number beyond all", `labelSelector=a%3E${"9".repeat(40_000)}`],
  ["a field that is none, thousands of times", `fieldSelector=${"a%3Db,".repeat(9_000)}a%3Db`],
  ["a field that is every object's", "fieldSelector=__proto__%3Db"],
  ["a field with backslashes only", `fieldSelector=${"%5c".repeat(9_000)}`],
  ["a token to go on that is no token", `continue=${"a".repeat(50_000)}`],
  ["a token to go on of thousands of brackets", `continue=${token({ v: [] })}`],
  [
    "a token to go on from another namespace",
    `continue=${token({ v: "meta.k8s.io/v1", rv: 1, start: "../../secrets/default/victim" })}`,
  ],
  ["a limit beyond all numbers", `limit=${"9".repeat(30_000)}`],
  ["a limit that is a text", "limit=1e3"],
  ["a revision beyond all numbers", `resourceVersion=${"9".repeat(30)}`],
  ["a revision that is a path", "resourceVersion=../1"],
  ["a time limit beyond all numbers", `watch=1&timeoutSeconds=${"9".repeat(30)}`],
  ["a watch of what begins in the future of all", "watch=1&resourceVersion=-1"],
  ["a match that is none", "resourceVersionMatch=Anything"],
];

const NAMED: readonly (readonly [name: string, method: string, query: string])[] = [
  ["a dry run that is none", "DELETE", "dryRun=Some"],
  ["a grace beyond all numbers", "DELETE", `gracePeriodSeconds=${"9".repeat(30)}`],
  ["a policy of deletion that is none", "DELETE", "propagationPolicy=Everything"],
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
  request("a field manager of thousands", 422, {
    method: "POST",
    path: `${CONFIG_MAPS}?fieldManager=${"a".repeat(10_000)}`,
    body: { metadata: { name: "managed" } },
  }),
  request("a form of answer that nobody has", 406, {
    path: CONFIG_MAPS,
    headers: { Accept: `${"a/b;q=0.1,".repeat(6_000)}a/b` },
  }),
  request("a log of more lines than there are numbers", [400, 422], {
    path: `${DEFAULT}/pods/victim/log?tailLines=${"9".repeat(30)}`,
  }),
  request("a port that is none", 400, {
    method: "POST",
    path: `${DEFAULT}/pods/victim/portforward?ports=99999999`,
  }),
];
