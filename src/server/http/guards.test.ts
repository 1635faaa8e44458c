import { expect, test } from "vitest";
import { issueAuthority, issueServer } from "../../access/x509.ts";
import { admitCaller } from "./guard.ts";
import { networkGuard } from "./guards.ts";

const validity = { from: new Date(0), to: new Date(4e12) };
const authority = { commonName: "a", key: issueAuthority("a", validity).key };
const names = ["127.0.0.1", "::1", "fd00::1", "10.1.2.3", "Box.example", "kubernetes.default.svc"];
const { cert } = issueServer(authority, { commonName: "s", names, validity });
const user = { name: "u", groups: [] };
const guard = networkGuard(
  {
    verify: (token) =>
      token === "t" ? { kind: "user", user, audiences: [] } : { kind: "refused" },
  },
  { certificate: cert, takesAnonymous: true },
);

function enter(host: string, authorization?: string, certificate?: typeof user) {
  return admitCaller(guard, "/api", { host, origin: undefined, authorization, certificate }).name;
}

test.each(["10.1.2.3:6443", "[fd00::1]:1", "box.example", "kubernetes.default.svc", "localhost:1"])(
  "the server accepts the host %s, which is in its certificate",
  (host) => {
    expect(enter(host, "Bearer t")).toBe("u");
  },
);

test.each(["10.1.2.4", "example", "kubernetes"])("the server rejects the host %s", (host) => {
  expect(() => enter(host, "Bearer t")).toThrow("is not served here");
});

test("a request without credentials is anonymous; one with invalid credentials is rejected", () => {
  expect(enter("127.0.0.1")).toBe("system:anonymous");
  expect(enter("127.0.0.1", "")).toBe("system:anonymous");
  for (const wrong of ["Bearer x", "Basic YTpi", "Bearer"]) {
    expect(() => enter("127.0.0.1", wrong)).toThrow("Unauthorized");
  }
});

test("a certificate takes precedence over a token", () => {
  expect(enter("127.0.0.1", "Bearer t", { name: "certified", groups: [] })).toBe("certified");
});
