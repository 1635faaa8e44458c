import { expect, test } from "vitest";
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
