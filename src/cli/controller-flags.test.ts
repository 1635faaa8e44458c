import { expect, test } from "vitest";
import {
  CONTROLLER_DEFAULTS,
  type ControllerFlags,
  readControllerFlags,
} from "./controller-flags.ts";

const read = (flags: Partial<ControllerFlags>) =>
  readControllerFlags({ ...CONTROLLER_DEFAULTS, health: true, ...flags });

test.each<[Partial<ControllerFlags>, string]>([
  [{ leaderElectLeaseDuration: "10s" }, "--leader-elect-lease-duration must be longer than"],
  [{ leaderElectRetryPeriod: "9s" }, "--leader-elect-renew-deadline must be longer than"],
  [{ leaderElectRetryPeriod: "soon" }, "--leader-elect-retry-period must be a duration"],
  [{ leaderElectResourceName: "A B" }, "--leader-elect-resource-name must be a name"],
  [{ namespace: "A B" }, "--namespace must be a name"],
  [{ kubeApiQps: "-1" }, "--kube-api-qps must be a number"],
  [{ kubeApiContentType: "application/yaml" }, "--kube-api-content-type must be application/"],
])("%j is refused", (flags, problem) => {
  expect(() => read({ leaderElect: true, ...flags })).toThrow(problem);
});

test("without a limit, a lease and a port there is none", () => {
  const settings = read({ kubeApiQps: "0", health: false });
  expect(settings).not.toHaveProperty("rateLimit");
  expect(settings).not.toHaveProperty("election");
  expect(settings).not.toHaveProperty("health");
  expect(settings.isExposed).toBe(false);
});

test("what other machines can read is known", () => {
  expect(read({ healthAddress: "0.0.0.0" }).isExposed).toBe(true);
  expect(read({}).isExposed).toBe(false);
});
