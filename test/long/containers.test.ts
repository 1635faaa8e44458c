/**
 * Pods as containers of Podman: the contract of all runtimes. Tests and containers share a
 * directory.
 */
import { tmpdir } from "node:os";
import { afterAll, describe } from "vitest";
import { runtimeContract } from "../agent/runtime-contract.ts";
import { Podman } from "../containers/podman.ts";

const podman = Podman.isThere() ? await Podman.start() : undefined;

describe.runIf(podman !== undefined)("containers", () => {
  afterAll(() => podman?.dispose());
  runtimeContract({
    name: "podman",
    args: ["--default-runtime=podman", `--sandbox-share=${tmpdir()}`],
    env: { CONTAINER_HOST: `unix://${podman?.socket}`, DOCKER_HOST: "" },
  });
});
