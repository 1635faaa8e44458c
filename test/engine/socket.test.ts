import { existsSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { configMaps, jobs } from "../../src/api/resources.ts";
import { silentLog } from "../../src/base/log.ts";
import { socketAddress } from "../../src/base/socket-address.ts";
import { startCoreEngine } from "../../src/engine.ts";
import { type CoreEngine, type CoreOptions, SOCKET } from "../../src/engine-options.ts";
import { findEngine, openEngineHost } from "../../src/runs/host/engine-host.ts";
import { openToChange } from "../../src/runs/host/open-host.ts";
import { testMachine } from "../builders/machine.ts";
import { until } from "../run/tally-run.ts";

let dataDir: string;
const engines: { stop(): Promise<unknown> }[] = [];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tally-socket-"));
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()));
  await rm(dataDir, { recursive: true, force: true });
});

function options(): CoreOptions {
  const socket = socketAddress(dataDir, SOCKET);
  return { dataDir, socket, controllers: "none", serviceCidr: "10.96.0.0/16", log: silentLog };
}

async function start(): Promise<CoreEngine> {
  const engine = await startCoreEngine(options());
  engines.push(engine);
  await until(() => existsSync(join(dataDir, SOCKET)));
  return engine;
}

const map = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
});

test("another process of the same user can read over the socket", async () => {
  const engine = await start();
  await engine.client.create(configMaps, map("one"));
  expect(statSync(join(dataDir, SOCKET)).mode & 0o777).toBe(0o600);
  const other = await findEngine(dataDir);
  const { items } = (await other?.client.list(configMaps, { namespace: "default" })) ?? {};
  expect(items?.map(({ metadata }) => metadata.name)).toEqual(["one"]);
  await other?.close();
  await engine.stop();
  expect(existsSync(join(dataDir, SOCKET))).toBe(false);
});

test("a web page cannot use the socket, whatever it makes the browser send", async () => {
  await start();
  const status = (headers: object) =>
    new Promise((resolve, reject) => {
      const socketPath = join(dataDir, SOCKET);
      request({ socketPath, path: "/api/v1/nodes", headers: { ...headers } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on("error", reject)
        .end();
    });
  expect(await status({ Host: "localhost" })).toBe(200);
  expect(await status({ Host: "example.com" })).toBe(403);
  expect(await status({ Host: "localhost", Origin: "https://example.com" })).toBe(403);
});

test("a second process is a client, and takes over when the engine of the first ends", async () => {
  const start = () => startCoreEngine(options());
  const reaching = { dataDir, namespace: "default", start, runsItems: true };
  const first = await openEngineHost(reaching);
  const second = await openEngineHost(reaching);
  expect([first.kind, second.kind]).toEqual(["own engine", "other process"]);
  await second.client.create(configMaps, map("kept"));
  await first.close();
  await second.reconnect();
  expect(second.kind).toBe("own engine");
  const kept = await second.client.get(configMaps, { namespace: "default", name: "kept" });
  expect(kept.metadata.name).toBe("kept");
  await second.close();
});

test("the runs of a directory can be read with and without an engine", async () => {
  const engine = await start();
  const machine = testMachine({ workingDirectory: dataDir });
  const live = await openToChange({ data: "." }, machine);
  expect([await live.isLive(), (await live.client.list(jobs)).items]).toEqual([true, []]);
  await live.close();
  await engine.stop();
  const still = await openToChange({ data: "." }, machine);
  expect([await still.isLive(), (await still.client.list(jobs)).items]).toEqual([false, []]);
  await still.close();
  await expect(openToChange({ data: "nowhere" }, machine)).rejects.toThrow("there are no runs in");
});

test("a directory with a long path has its socket, too", async () => {
  dataDir = await mkdtemp(join(dataDir, "x".repeat(120)));
  await start();
  const found = await findEngine(dataDir);
  expect(found).toBeDefined();
  await found?.close();
});
