import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findEngines } from "./find-engine.ts";
import { socketPaths } from "./socket-paths.ts";

test("the socket that the variables of the tools name is the only one that is tried", () => {
  const environment = { DOCKER_HOST: "unix:///x/docker.sock", XDG_RUNTIME_DIR: "/run/user/7" };
  expect(socketPaths({ environment, uid: 7 })).toEqual(["/x/docker.sock"]);
});

test("without them it is the machine's, then the user's own", () => {
  const environment = { DOCKER_HOST: "tcp://elsewhere:2375" };
  expect(socketPaths({ environment, uid: 7 })).toEqual([
    "/var/run/docker.sock",
    "/run/user/7/docker.sock",
    "/run/user/7/podman/podman.sock",
    "/run/podman/podman.sock",
  ]);
});

test("a socket that is not there is told of", async () => {
  const { found, problems } = await findEngines(["/nowhere/engine.sock"]);
  expect(found).toEqual([]);
  expect(problems).toEqual([expect.stringContaining("/nowhere/engine.sock")]);
});

test.each([
  [{ Version: "20.10.24", ApiVersion: "1.41", MinAPIVersion: "1.12" }, "docker 20.10.24", "1.40"],
  [{ Version: "29.0.0", ApiVersion: "1.52", MinAPIVersion: "1.44" }, "docker 29.0.0", "1.44"],
  [
    {
      Version: "4.3.1",
      MinAPIVersion: "1.24",
      Components: [{ Name: "Podman Engine", Version: "4.3.1" }],
    },
    "podman 4.3.1",
    "1.40",
  ],
  [{ Version: "30" }, "docker 30", "1.40"],
])("one that says %j is %s, and is spoken to in %s", async (answer, name, apiVersion) => {
  const directory = mkdtempSync(path.join(tmpdir(), "tally-socket-"));
  const socketPath = path.join(directory, "engine.sock");
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(() => {
    server.close();
    rmSync(directory, { recursive: true });
  });
  const [engine] = (await findEngines([socketPath])).found;
  expect(`${engine?.name} ${engine?.version}`).toBe(name);
  expect(engine?.apiVersion).toBe(apiVersion);
  // In no version: whichever were named might be too old for it.
  expect(asked).toEqual(["/version"]);
});
