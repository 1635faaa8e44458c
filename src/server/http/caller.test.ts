import { request } from "node:https";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aGuardedServer } from "../../../test/builders/guarded-server.ts";
import { type Identity, issueAuthority, issueClient, issueServer } from "../../access/x509.ts";
import { networkGuard } from "./guards.ts";
import { type Listener, listen } from "./listen.ts";

const validity = { from: new Date(Date.now() - 1000), to: new Date(Date.now() + 3_600_000) };
const authority = issueAuthority("ca", validity);
const issuer = { commonName: "ca", key: authority.key };
const names = ["127.0.0.1"];
const own = issueServer(issuer, { commonName: "tally", names, validity });
const server = aGuardedServer();
let listener: Listener;

beforeAll(async () => {
  listener = await listen(server, {
    address: "127.0.0.1",
    port: 0,
    tls: { ...own, clientAuthority: authority.cert },
    guard: networkGuard(server.tokens, { certificate: own.cert, takesAnonymous: true }),
  });
});
afterAll(() => listener.close());

function whoAmI(identity?: Identity): Promise<unknown> {
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const options = { method: "POST", host: "127.0.0.1", port: listener.port, path, agent: false };
  const trust = { ca: authority.cert, ...(identity ?? {}) };
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, ...trust }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => {
        const { status, message } = JSON.parse(text);
        resolve(status.userInfo ?? message);
      });
    });
    sent.on("error", reject);
    sent.end("{}");
  });
}

test("a certificate of our authority authenticates its user and groups", async () => {
  const organizations = ["devs", "ops"];
  const alice = issueClient(issuer, { commonName: "alice", organizations, validity });
  expect(await whoAmI(alice)).toEqual({
    username: "alice",
    groups: ["devs", "ops", "system:authenticated"],
    extra: {
      "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^X509SHA256=/)],
    },
  });
});

const STRANGER = /User "system:anonymous" cannot create resource "selfsubjectreviews"/;

test("a certificate of another authority, or an expired one, is answered with 401", async () => {
  const other = issueAuthority("ca", validity);
  const wanted = { commonName: "alice", organizations: ["system:masters"], validity };
  const forged = issueClient({ commonName: "ca", key: other.key }, wanted);
  const past = { from: new Date(0), to: new Date(1000) };
  const old = issueClient(issuer, { ...wanted, validity: past });
  expect(await whoAmI(forged)).toBe("Unauthorized");
  expect(await whoAmI(old)).toBe("Unauthorized");
  expect(await whoAmI()).toMatch(STRANGER);
});
