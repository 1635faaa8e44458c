import { describe, expect, test } from "vitest";
import { argumentsOf, type ContainerRequest, containerBody, holderBody } from "./container-body.ts";
import type { EngineRun } from "./engine-run.ts";
import type { FoundImage } from "./images.ts";

const image: FoundImage = {
  id: "sha256:1",
  imageId: "quay.io/a@sha256:1",
  entrypoint: ["/entry"],
  command: ["serve"],
  user: "",
  bytes: 1,
};

const engine: EngineRun = {
  name: "docker",
  image: { name: "a", pullPolicy: "Always", credentials: () => [], tell: () => {} },
  args: [],
  hostname: "web-0",
  sharedPaths: [],
  messagePath: "/dev/termination-log",
  user: { groups: [] },
  adds: [],
  drops: [],
  isPrivileged: false,
  mayGainPrivileges: true,
  hasReadOnlyRoot: false,
  sharesPids: "none",
  sharesHostIpc: false,
  sysctls: [],
  hasInput: false,
  isInputOnce: false,
  hasTerminal: false,
};

function request(
  of: Partial<EngineRun> = {},
  more: Partial<ContainerRequest> = {},
): ContainerRequest {
  const id = { podUid: "u", container: "main", attempt: 0 };
  return {
    id,
    command: [],
    environment: [],
    logFile: "/log",
    ...more,
    engine: { ...engine, ...of },
  };
}

function bodyOf(wanted: ContainerRequest, holder: string | undefined = "h", isPodman = false) {
  const around = { owner: "o", run: "u/main/0", image, files: [], isPodman };
  return containerBody(wanted, { ...around, ...(holder === undefined ? {} : { holder }) });
}

describe("what a container runs", () => {
  test.each<[string, string[], string[], string[]]>([
    ["its image's entrypoint and command", [], [], ["/entry", "serve"]],
    ["its image's entrypoint with its own args", [], ["x"], ["/entry", "x"]],
    ["its own command without those of its image", ["sh"], [], ["sh"]],
    ["its own command and args", ["sh"], ["-c", "x"], ["sh", "-c", "x"]],
  ])("is %s", (_what, command, args, expected) => {
    expect(argumentsOf(request({ args }, { command }), image)).toEqual(expected);
  });
});

describe("the container of a run", () => {
  test("is known by its run, and shares the network of its pod", () => {
    expect(bodyOf(request())).toMatchObject({
      Image: "sha256:1",
      Entrypoint: ["/entry"],
      Cmd: ["serve"],
      Labels: { "tallyjob.io/run": "u/main/0", "tallyjob.io/owner": "o" },
      HostConfig: { NetworkMode: "container:h", IpcMode: "container:h" },
    });
  });

  test("tells the next server which index it runs", () => {
    const Labels = { "tallyjob.io/place": "default/j/3" };
    expect(bodyOf(request({}, { place: "default/j/3" }))).toMatchObject({ Labels });
  });

  test.each<[string, Partial<EngineRun>, object]>([
    ["a privileged one", { isPrivileged: true }, { Privileged: true }],
    [
      "its capabilities",
      { adds: ["NET_ADMIN"], drops: ["ALL"] },
      { CapAdd: ["NET_ADMIN"], CapDrop: ["ALL"] },
    ],
    ["no new privileges", { mayGainPrivileges: false }, { SecurityOpt: ["no-new-privileges"] }],
    ["a root to read only", { hasReadOnlyRoot: true }, { ReadonlyRootfs: true }],
    ["further groups", { user: { groups: [7, 8] } }, { GroupAdd: ["7", "8"] }],
    ["the processes of its pod", { sharesPids: "pod" }, { PidMode: "container:h" }],
    ["the processes of the host", { sharesPids: "host" }, { PidMode: "host" }],
    ["the memory of the host", { sharesHostIpc: true }, { IpcMode: "host" }],
  ])("has %s", (_what, asked, expected) => {
    expect(bodyOf(request(asked))).toMatchObject({ HostConfig: expected });
  });

  test.each<[EngineRun["user"], string | undefined]>([
    [{ groups: [] }, undefined],
    [{ uid: 5, groups: [] }, "5"],
    [{ uid: 5, gid: 6, groups: [] }, "5:6"],
    [{ gid: 6, groups: [] }, "0:6"],
  ])("runs as %j, which is %s", (user, expected) => {
    const { User } = bodyOf(request({ user })) as { User?: string };
    expect(User).toBe(expected);
  });

  test("has its limits, never below what Linux takes", () => {
    const limits = { cpuMillis: 5, memoryBytes: 1024 };
    expect(bodyOf(request({}, { limits }))).toMatchObject({
      HostConfig: { CpuPeriod: 100_000, CpuQuota: 1_000, Memory: 1024, MemorySwap: 1024 },
    });
  });

  test("is told of the hostname that Docker would find by itself", () => {
    expect(bodyOf(request(), "h", true)).toMatchObject({ HostConfig: { UTSMode: "container:h" } });
    expect(bodyOf(request(), "h")).not.toHaveProperty("HostConfig.UTSMode");
  });

  test("has its mounts, read-only where they are asked for so", () => {
    const mounts = [{ source: "/a:b", mountPath: "/m", isReadOnly: true }];
    expect(bodyOf(request({}, { mounts }))).toMatchObject({
      HostConfig: { Mounts: [{ Type: "bind", Source: "/a:b", Target: "/m", ReadOnly: true }] },
    });
  });
});

test("the container that holds a network has the pod's address, hostname and ports", () => {
  const hostPort = { containerPort: 80, hostPort: 8080, hostIp: "", protocol: "tcp" } as const;
  const around = {
    owner: "o",
    podUid: "u",
    image: "pause",
    networkName: "tally-o",
    network: { address: "10.207.0.9", hostPorts: [hostPort, { ...hostPort, hostPort: 8081 }] },
  };
  expect(holderBody(engine, around)).toMatchObject({
    Hostname: "web-0",
    ExposedPorts: { "80/tcp": {} },
    HostConfig: {
      PortBindings: {
        "80/tcp": [
          { HostIp: "", HostPort: "8080" },
          { HostIp: "", HostPort: "8081" },
        ],
      },
    },
    NetworkingConfig: {
      EndpointsConfig: { "tally-o": { IPAMConfig: { IPv4Address: "10.207.0.9" } } },
    },
  });
});
