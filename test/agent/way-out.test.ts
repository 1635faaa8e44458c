/**
 * Pods with their own network reach hosts beyond this machine. A network namespace plays the
 * outside world: it knows only the address of this machine, and cannot answer pods whose address
 * was not translated.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bridgeName } from "../../src/agent/spawner/sandbox/host-network.ts";
import { findTools } from "../../src/agent/spawner/sandbox/tools.ts";
import { poll } from "../support/poll.ts";
import { startTally, type Tally } from "../support/tally.ts";
import { canMakeNetworks } from "./peers-by-name.ts";

const WORLD = `tally-world-${process.pid}`;
const CABLE = `tlw${process.pid}`;
/** Addresses reserved for documentation: no real host has them. */
const MACHINE = "198.51.100.1";
const BEYOND = "198.51.100.2";
const PODS = "/api/v1/namespaces/default/pods";
const { translator } = findTools().tools ?? {};

const SERVER = `
const { createServer } = require("node:http");
const server = createServer((request, answer) => answer.end(request.socket.remoteAddress));
server.listen(80, "${BEYOND}", () => console.log("ready"));
`;

describe.skipIf(!canMakeNetworks || !translator)("the way out [needs NET_ADMIN, iptables]", () => {
  let world: ChildProcess;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "tally-way-out-"));
    ip(`netns add ${WORLD}`);
    ip(`link add ${CABLE} type veth peer name eth0 netns ${WORLD}`);
    ip(`addr add ${MACHINE}/24 dev ${CABLE}`);
    ip(`link set ${CABLE} up`);
    ip(`-n ${WORLD} addr add ${BEYOND}/24 dev eth0`);
    ip(`-n ${WORLD} link set eth0 up`);
    const args = ["netns", "exec", WORLD, process.execPath, "-e", SERVER];
    world = spawn("ip", args, { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve) => world.stdout?.once("data", resolve));
  });

  afterAll(() => {
    world.kill();
    ip(`netns del ${WORLD}`);
  });

  test("exists for pods with volumes, and its rules are removed, even after a kill", async () => {
    const first = await startTally({ hasAgent: true, dataDir });
    expect(await askWorld(first, "one")).toBe(MACHINE);
    const bridge = bridgeName(join(dataDir, "agent"));
    expect(rules()).toContain(bridge);
    process.kill(spawnerOf(dataDir), "SIGKILL");
    await first.kill();

    const second = await startTally({ hasAgent: true, dataDir });
    expect(await askWorld(second, "two")).toBe(MACHINE);
    expect(masqueradesOf(bridge)).toHaveLength(1);
    await second.dispose();
    expect(rules()).not.toContain(bridge);
    expect(execFileSync("ip", ["-brief", "link"], { encoding: "utf8" })).not.toContain(bridge);
  });
});

async function askWorld(tally: Tally, name: string): Promise<string> {
  const ask = `fetch("http://${BEYOND}/").then((a) => a.text()).then((t) => console.log(t))`;
  const container = {
    name: "c",
    image: "none",
    command: [process.execPath, "-e", ask],
    volumeMounts: [{ name: "v", mountPath: "/v" }],
  };
  const spec = {
    restartPolicy: "Never",
    containers: [container],
    volumes: [{ name: "v", emptyDir: {} }],
  };
  const made = await tally.call("POST", PODS, { metadata: { name }, spec });
  expect(made.status, made.text).toBe(201);
  const status = async () => (await tally.call("GET", `${PODS}/${name}`)).json.status;
  await poll(async () => (await status()).phase).toBe("Succeeded");
  expect((await status()).containerStatuses[0].containerID).toMatch(/^sandbox:/);
  return (await tally.call("GET", `${PODS}/${name}/log`)).text.trim();
}

function ip(command: string): void {
  execFileSync("ip", command.split(" "));
}

function rules(): string {
  if (translator === undefined) return "";
  const isTable = translator.kind === "nft";
  const program = isTable ? translator.nft : translator.save;
  return execFileSync(program, isTable ? ["list", "ruleset"] : [], { encoding: "utf8" });
}

function masqueradesOf(bridge: string): readonly string[] {
  const lines = rules().split("\n");
  return lines.filter((line) => /masquerade/i.test(line) && line.includes(bridge));
}

function spawnerOf(directory: string): number {
  const [holder = ""] = readdirSync(join(directory, "agent", "lock"));
  return Number(holder.split("-")[0]);
}
