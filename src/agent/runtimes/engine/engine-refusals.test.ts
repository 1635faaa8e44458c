import { describe, expect, test } from "vitest";
import { storedPod } from "../../../../test/builders/pod.ts";
import { admitToEngine, engineMissing } from "./engine-refusals.ts";

describe("a container of an engine", () => {
  test("has volumes, another user, privileges, probes and names", () => {
    const pod = storedPod({
      spec: {
        subdomain: "peers",
        securityContext: { runAsUser: 7, fsGroup: 9 },
        containers: [
          {
            name: "c",
            resources: {},
            volumeMounts: [{ name: "v", mountPath: "/v" }],
            securityContext: { privileged: true, readOnlyRootFilesystem: true },
            readinessProbe: { tcpSocket: { port: 80 } },
          },
        ],
      },
    });
    expect(admitToEngine(pod, "podman")).toEqual({ warnings: [] });
  });

  test("is refused with everything that it cannot have, at once", () => {
    const pod = storedPod({
      spec: {
        hostUsers: false,
        containers: [
          {
            name: "c",
            resources: {},
            volumeDevices: [{ name: "d", devicePath: "/dev/x" }],
            securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "p" } },
          },
        ],
      },
    });
    const { refusal } = admitToEngine(pod, "docker");
    expect(refusal?.reason).toBe("NotSupportedByRuntime");
    expect(refusal?.message).toMatch(/^docker cannot honour hostUsers false/);
    expect(refusal?.message).toContain("volumeDevices d at /dev/x");
    expect(refusal?.message).toContain("seccompProfile Localhost");
  });

  test("is told how to get an engine where there is none", () => {
    expect(engineMissing("docker").refusal?.message).toMatch(
      /no container engine "docker" answers/,
    );
  });
});
