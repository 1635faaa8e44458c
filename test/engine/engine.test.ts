import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type Certificates,
  ensureCertificates,
  serverNames,
} from "../../src/access/certificates.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { startEngine } from "../../src/engine.ts";
import {
  DATA_DIRECTORY_IN_USE,
  type Engine,
  type EngineOptions,
} from "../../src/engine-options.ts";

const TOKEN = "secret";

let certificateDirectory: string;
let certificates: Certificates;
let dataDir: string;
const engines: Engine[] = [];

beforeAll(async () => {
  certificateDirectory = await mkdtemp(join(tmpdir(), "tally-engine-"));
  const names = serverNames(["127.0.0.1"]);
  const directory = join(certificateDirectory, "certificates");
  certificates = await ensureCertificates({ directory, names, clock: systemClock });
});
afterAll(() => rm(certificateDirectory, { recursive: true }));
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tally-engine-"));
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()));
  await rm(dataDir, { recursive: true });
});

function options(overrides: Partial<EngineOptions> = {}): EngineOptions {
  return {
    dataDir,
    address: "127.0.0.1",
    port: 0,
    insecurePort: 0,
    controllers: "none",
    serviceCidr: "10.96.0.0/16",
    certificates,
    token: TOKEN,
    log: silentLog,
    ...overrides,
  };
}

async function start(overrides: Partial<EngineOptions> = {}): Promise<Engine> {
  const engine = await startEngine(options(overrides));
  engines.push(engine);
  return engine;
}

interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly KubeObject[];
}

async function list(engine: Engine, path: string): Promise<List> {
  const response = await fetch(`${engine.insecureUrl}${path}`);
  return (await response.json()) as List;
}

const places = ({ items }: List) =>
  items.map(({ metadata }) => [metadata.namespace, metadata.name].filter(Boolean).join("/"));

const post = (engine: Engine, path: string, body: object) =>
  fetch(`${engine.insecureUrl}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

test("a new server has the namespaces of Kubernetes and its own Service", async () => {
  const engine = await start();
  expect(places(await list(engine, "/api/v1/namespaces"))).toEqual([
    "default",
    "kube-node-lease",
    "kube-public",
    "kube-system",
  ]);
  const services = await list(engine, "/api/v1/services");
  expect(places(services)).toEqual(["default/kubernetes"]);
  const targetPort = Number(new URL(engine.url).port);
  expect(services.items[0]).toMatchObject({
    spec: { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, targetPort }] },
  });
});

const SPACES = ["default", "kube-node-lease", "kube-public", "kube-system"];

test.each<[EngineOptions["controllers"], boolean, boolean]>([
  ["all", true, true],
  ["none", false, false],
  [["rootca"], false, true],
  [["serviceaccount"], true, false],
])(
  "with the controllers %j every namespace has the objects they maintain",
  async (controllers, ...kept) => {
    const engine = await start({ controllers });
    const [hasAccounts, hasCertificates] = kept;
    const named = (name: string) => SPACES.map((space) => `${space}/${name}`);
    expect(places(await list(engine, "/api/v1/serviceaccounts"))).toEqual(
      hasAccounts ? named("default") : [],
    );
    const maps = await list(engine, "/api/v1/configmaps");
    expect(places(maps)).toEqual(hasCertificates ? named("kube-root-ca.crt") : []);
    for (const map of maps.items)
      expect(map).toMatchObject({ data: { "ca.crt": certificates.ca } });
  },
);

test("stored objects survive a restart, and the revision only grows", async () => {
  const first = await start();
  const maps = "/api/v1/namespaces/default/configmaps";
  const made = (await (await post(first, maps, { metadata: { name: "a" } })).json()) as KubeObject;
  const before = await list(first, maps);
  await first.stop();
  const second = await start();
  const after = await list(second, maps);
  expect(after.items[0]?.metadata).toEqual(made.metadata);
  expect(Number(after.metadata.resourceVersion)).toBeGreaterThanOrEqual(
    Number(before.metadata.resourceVersion),
  );
});

test("HTTPS uses a certificate of our authority and requires the token", async () => {
  const engine = await start();
  const status = (headers: { readonly [name: string]: string }) =>
    new Promise((resolve, reject) => {
      const sent = request(
        `${engine.url}/api/v1/nodes`,
        { ca: certificates.ca, headers, agent: false },
        (response) => resolve(response.resume().statusCode),
      );
      sent.on("error", reject).end();
    });
  expect(await status({})).toBe(403);
  expect(await status({ Authorization: "Bearer guess" })).toBe(401);
  expect(await status({ Authorization: `Bearer ${TOKEN}` })).toBe(200);
});

test("the insecure port is opened only on request, and only for this machine", async () => {
  const { insecurePort: _unwanted, ...secure } = options();
  const without = await startEngine(secure);
  expect(without).not.toHaveProperty("insecureUrl");
  await without.stop();
  const { insecureUrl } = await start();
  expect(insecureUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const foreign = { headers: { Origin: "https://example.com" } };
  expect((await fetch(`${insecureUrl}/api/v1/nodes`, foreign)).status).toBe(403);
});

test("a second engine on the same data is rejected, and the first keeps running", async () => {
  const first = await start();
  await expect(start()).rejects.toMatchObject({
    code: DATA_DIRECTORY_IN_USE,
    message: expect.stringContaining(dataDir),
  });
  expect((await list(first, "/api/v1/nodes")).items).toEqual([]);
});

test.each(["port", "insecurePort"] as const)(
  "if the %s is in use, the error names it and the data directory is released",
  async (which) => {
    const holder = await start();
    const other = await mkdtemp(join(tmpdir(), "tally-engine-"));
    const port = Number(new URL(which === "port" ? holder.url : (holder.insecureUrl ?? "")).port);
    await expect(start({ dataDir: other, [which]: port })).rejects.toMatchObject({
      code: "EADDRINUSE",
      port,
    });
    await (await start({ dataDir: other })).stop();
    await rm(other, { recursive: true });
  },
);

test("stopping ends open watches, and can be requested twice", async () => {
  const engine = await start();
  const response = await fetch(`${engine.insecureUrl}/api/v1/namespaces?watch=true`);
  const reader = response.body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  await Promise.all([engine.stop(), engine.stop()]);
  await engine.stop();
  let isDone = false;
  while (!isDone) isDone = (await reader?.read())?.done ?? true;
  await expect(fetch(`${engine.insecureUrl}/livez`)).rejects.toThrow();
});
