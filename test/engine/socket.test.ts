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
import { openRuns } from "../../src/run/open-runs.ts";
import { findEngine, reachEngine } from "../../src/run/reach-engine.ts";
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

test("a second process is a client, until the engine of the first has ended", async () => {
  const reaching = { dataDir, start: () => startCoreEngine(options()) };
  const first = await reachEngine(reaching);
  const second = await reachEngine(reaching);
  expect([first.isOwn, second.isOwn]).toEqual([true, false]);
  await second.client.create(configMaps, map("kept"));
  await second.close();
  await first.close();
  const third = await reachEngine(reaching);
  expect(third.isOwn).toBe(true);
  const kept = await third.client.get(configMaps, { namespace: "default", name: "kept" });
  expect(kept.metadata.name).toBe("kept");
  await third.close();
});

test("the runs of a directory can be read with and without an engine", async () => {
  const engine = await start();
  const machine = { workingDirectory: dataDir };
  const live = await openRuns({ data: "." }, machine);
  expect([live.isLive, (await live.client.list(jobs)).items]).toEqual([true, []]);
  await live.close();
  await engine.stop();
  const still = await openRuns({ data: "." }, machine);
  expect([still.isLive, (await still.client.list(jobs)).items]).toEqual([false, []]);
  await still.close();
  await expect(openRuns({ data: "nowhere" }, machine)).rejects.toThrow("there are no runs in");
});

test("a directory with a long path has its socket, too", async () => {
  dataDir = await mkdtemp(join(dataDir, "x".repeat(120)));
  await start();
  const found = await findEngine(dataDir);
  expect(found?.isOwn).toBe(false);
  await found?.close();
});
