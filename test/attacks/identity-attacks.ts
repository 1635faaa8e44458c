/**
 * Acting as another user: by forged tokens, by impersonation, by rights that the attacker lacks.
 */
import { createHmac, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { type Attack, CONFIG_MAPS, DEFAULT, expectNothingTold, played, request } from "./attack.ts";
import { type Asked, ask, signingKeyFile, type Target, tokenOf } from "./target.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const ADMIN_ROLE = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole" } as const;
const MALLORY = { kind: "ServiceAccount", name: "mallory", namespace: "own" } as const;

interface Parts {
  readonly header: { readonly [field: string]: unknown };
  readonly claims: { readonly [field: string]: unknown };
}

type Forge = (genuine: Parts, signature: string, target: Target) => string;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function partsOf(token: string): Parts {
  const [header = "", claims = ""] = token.split(".");
  const decode = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  return { header: decode(header), claims: decode(claims) };
}

/** Signed with the server's own key, which no attacker has: the claims alone must be rejected. */
function genuinelySigned({ header, claims }: Parts, target: Target): string {
  const key = createPrivateKey(readFileSync(signingKeyFile(target)));
  const text = `${encode(header)}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
  return `${text}.${signature.toString("base64url")}`;
}

const ADMIN_CLAIMS = { sub: "tally-admin", groups: ["system:masters"] };
const NOW_SECONDS = Math.floor(Date.now() / 1000);

const FORGED: readonly (readonly [name: string, forge: Forge])[] = [
  [
    "without a signature (alg none)",
    ({ header, claims }) => `${encode({ ...header, alg: "none" })}.${encode(claims)}.`,
  ],
  [
    "with alg None and the signature of another token",
    ({ header, claims }, signature) =>
      `${encode({ ...header, alg: "None" })}.${encode(claims)}.${signature}`,
  ],
  [
    "signed with the public key as a shared secret (HS256)",
    ({ header, claims }, _, target) => {
      const key = createPublicKey(readFileSync(signingKeyFile(target)));
      const text = `${encode({ ...header, alg: "HS256" })}.${encode(claims)}`;
      const secret = key.export({ type: "spki", format: "pem" });
      return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
    },
  ],
  [
    "whose signature is all zeros",
    ({ header, claims }) =>
      `${encode(header)}.${encode(claims)}.${Buffer.alloc(64).toString("base64url")}`,
  ],
  [
    "with other claims under the same signature",
    ({ header, claims }, signature) =>
      `${encode(header)}.${encode({ ...claims, ...ADMIN_CLAIMS })}.${signature}`,
  ],
  [
    "that contains its own key",
    ({ header, claims }, signature) =>
      `${encode({ ...header, jwk: { kty: "EC" }, jku: "http://127.0.0.1/" })}.${encode(claims)}.${signature}`,
  ],
  [
    "whose key ID is a file path",
    ({ header, claims }, signature) =>
      `${encode({ ...header, kid: "../../../../dev/null" })}.${encode(claims)}.${signature}`,
  ],
  [
    "that has expired",
    ({ header, claims }, _, target) =>
      genuinelySigned({ header, claims: { ...claims, exp: NOW_SECONDS - 120 } }, target),
  ],
  [
    "that is not valid yet",
    ({ header, claims }, _, target) =>
      genuinelySigned({ header, claims: { ...claims, nbf: NOW_SECONDS + 3600 } }, target),
  ],
  [
    "of another issuer",
    ({ header, claims }, _, target) =>
      genuinelySigned({ header, claims: { ...claims, iss: "https://example.com" } }, target),
  ],
  [
    "without an expiry time",
    ({ header, claims }, _, target) => {
      const { exp: _exp, ...endless } = claims;
      return genuinelySigned({ header, claims: endless }, target);
    },
  ],
  [
    "without an audience",
    ({ header, claims }, _, target) => {
      const { aud: _aud, ...unaddressed } = claims;
      return genuinelySigned({ header, claims: unaddressed }, target);
    },
  ],
  [
    "that names no account",
    ({ header, claims }, _, target) => {
      const { "kubernetes.io": _account, ...nameless } = claims;
      return genuinelySigned({ header, claims: nameless }, target);
    },
  ],
  ["of sixty thousand letters", () => "a".repeat(60_000)],
];

function forged(name: string, forge: Forge): Attack {
  return played(`a token ${name}`, async (target) => {
    const { mallory } = target;
    const signature = mallory.split(".")[2] ?? "";
    const token = forge(partsOf(mallory), signature, target);
    await expectUnknown(target, token);
  });
}

async function expectUnknown(target: Target, token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await ask(target, { path: CONFIG_MAPS, headers });
  expect([answer.status, answer.text.includes("Unauthorized")]).toEqual([401, true]);
  expectNothingTold(answer);
}

const ENDED: readonly Attack[] = [
  played("the token of an account that was deleted", async (target) => {
    const { tally } = target;
    const token = await tokenOf(tally, "deleted");
    await tally.call("DELETE", "/api/v1/namespaces/own/serviceaccounts/deleted");
    await expectUnknown(target, token);
    // An account that is created later with the same name must not inherit the token.
    const again = { metadata: { name: "deleted" } };
    await tally.call("POST", "/api/v1/namespaces/own/serviceaccounts", again);
    await expectUnknown(target, token);
  }),
  played("the token of a pod that was deleted", async (target) => {
    const { tally } = target;
    const pods = "/api/v1/namespaces/own/pods";
    const spec = { serviceAccountName: "mallory", containers: [{ name: "c", image: "i" }] };
    const { json } = await tally.call("POST", pods, { metadata: { name: "bound" }, spec });
    const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "bound", uid: json.metadata.uid };
    const token = await tokenOf(tally, "mallory", { boundObjectRef });
    await tally.call("DELETE", `${pods}/bound?gracePeriodSeconds=0`);
    await expectUnknown(target, token);
  }),
  played("the token for another server", async (target) => {
    const token = await tokenOf(target.tally, "mallory", { audiences: ["https://example.com"] });
    await expectUnknown(target, token);
  }),
];

const as = (header: string, value: string): Asked => ({
  path: CONFIG_MAPS,
  as: "mallory",
  headers: { "Impersonate-User": "mallory", [header]: value },
});

const IMPERSONATION: readonly Attack[] = [
  request("the administrator's name", 403, as("Impersonate-User", "tally-admin")),
  request("the group of administrators", 403, as("Impersonate-Group", "system:masters")),
  request("another account", 403, as("Impersonate-User", "system:serviceaccount:default:default")),
  request("somebody's uid", 403, as("Impersonate-Uid", "1")),
  request("somebody's scopes", 403, as("Impersonate-Extra-scopes", "all")),
  request("a group without a user", 400, {
    path: CONFIG_MAPS,
    headers: { "Impersonate-Group": "system:masters" },
  }),
  request("an unknown impersonation header", 400, as("Impersonate-Everything", "yes")),
].map((attack) => ({ ...attack, name: `impersonating ${attack.name}` }));

const CREDENTIALS: readonly Attack[] = [
  ...["access_token", "token", "bearer_token", "Authorization"].map((parameter) =>
    played(`the token as ${parameter} in the URL`, async (target) => {
      const path = `${CONFIG_MAPS}?${parameter}=${target.tally.token}`;
      expect((await ask(target, { path, as: "nobody" })).status).toBe(403);
    }),
  ),
  played("the token as a cookie", async (target) => {
    const headers = { Cookie: `token=${target.tally.token}; access_token=${target.tally.token}` };
    expect((await ask(target, { path: CONFIG_MAPS, as: "nobody", headers })).status).toBe(403);
  }),
  played("the token as a password", async (target) => {
    const encoded = Buffer.from(`tally-admin:${target.tally.token}`).toString("base64");
    const headers = { Authorization: `Basic ${encoded}` };
    expect((await ask(target, { path: CONFIG_MAPS, as: "nobody", headers })).status).toBe(401);
  }),
  request("a user named by the headers of an untrusted proxy", 403, {
    path: CONFIG_MAPS,
    as: "nobody",
    headers: { "X-Remote-User": "tally-admin", "X-Remote-Group": "system:masters" },
  }),
  request("a method override in a header", 403, {
    path: `${CONFIG_MAPS}/victim`,
    method: "POST",
    as: "mallory",
    headers: { "X-HTTP-Method-Override": "DELETE" },
  }),
  request("a forged token in the protocol of a WebSocket", 401, {
    path: `${DEFAULT}/pods/victim/exec?command=id&stdout=1`,
    as: "nobody",
    headers: {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Protocol": "base64url.bearer.authorization.k8s.io.Zm9yZ2Vk, v4.channel.k8s.io",
    },
  }),
];

const RIGHTS: readonly Attack[] = [
  request("binding oneself to cluster-admin", 403, {
    path: `${RBAC}/clusterrolebindings`,
    method: "POST",
    as: "mallory",
    body: {
      metadata: { name: "m" },
      subjects: [MALLORY],
      roleRef: { ...ADMIN_ROLE, name: "cluster-admin" },
    },
  }),
  request("binding oneself to admin in one's own namespace", 403, {
    path: `${RBAC}/namespaces/own/rolebindings`,
    method: "POST",
    as: "mallory",
    body: {
      metadata: { name: "m" },
      subjects: [MALLORY],
      roleRef: { ...ADMIN_ROLE, name: "admin" },
    },
  }),
  request("widening one's own role", 403, {
    path: `${RBAC}/namespaces/own/roles/few`,
    method: "PATCH",
    as: "mallory",
    headers: { "Content-Type": "application/json-patch+json" },
    body: [{ op: "add", path: "/rules/0/resources/-", value: "secrets" }],
  }),
  request("a token of another account", 403, {
    path: "/api/v1/namespaces/default/serviceaccounts/default/token",
    method: "POST",
    as: "mallory",
    body: { spec: {} },
  }),
  request("asking what another user may do", 403, {
    path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    method: "POST",
    as: "mallory",
    body: { spec: { user: "tally-admin", nonResourceAttributes: { path: "/", verb: "get" } } },
  }),
  request("asking whom a token belongs to", 403, {
    path: "/apis/authentication.k8s.io/v1/tokenreviews",
    method: "POST",
    as: "mallory",
    body: { spec: { token: "x" } },
  }),
  request("a list with watch=FALSE", 403, {
    path: `${DEFAULT}/secrets?watch=FALSE`,
    as: "mallory",
  }),
  ...["exec?command=id", "attach?stdout=1", "portforward?ports=80", "log"].flatMap((what) =>
    ["GET", "POST"].map((method) =>
      request(`${method} ${what} of another user's pod`, [403, 405], {
        path: `${DEFAULT}/pods/victim/${what}`,
        method,
        as: "mallory",
      }),
    ),
  ),
];

export const IDENTITY_ATTACKS: readonly Attack[] = [
  ...FORGED.map(([name, forge]) => forged(name, forge)),
  ...ENDED,
  ...IMPERSONATION,
  ...CREDENTIALS,
  ...RIGHTS,
];
