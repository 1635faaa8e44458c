import { expect, test } from "vitest";
import { findingsInContainer } from "../../../test/builders/pod.ts";

const exec = { exec: { command: ["true"] } };

test.each<[string, object, string[]]>([
  [
    "a probe's numbers are not negative",
    { readinessProbe: { ...exec, initialDelaySeconds: -1, periodSeconds: -2 } },
    [
      "readinessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0",
      "readinessProbe.periodSeconds: Invalid value: -2: must be greater than or equal to 0",
    ],
  ],
  [
    "a readiness probe has no grace period",
    { readinessProbe: { ...exec, terminationGracePeriodSeconds: 1 } },
    [
      "readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for " +
        "readinessProbes",
    ],
  ],
  [
    "the grace period of a liveness probe must be positive",
    { livenessProbe: { ...exec, terminationGracePeriodSeconds: 0 } },
    ["livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0"],
  ],
  [
    "a gRPC probe has a port",
    { startupProbe: { grpc: { port: 0 } } },
    ["startupProbe.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive"],
  ],
  ["a hook may sleep for 0 seconds", { lifecycle: { preStop: { sleep: { seconds: 0 } } } }, []],
  [
    "a hook must not sleep longer than the pod's grace period",
    { lifecycle: { preStop: { sleep: { seconds: 31 } } } },
    [
      "lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than " +
        "terminationGracePeriodSeconds (30)",
    ],
  ],
])("%s", (_, fields, findings) => {
  expect(findingsInContainer({ ...fields })).toEqual(findings);
});
