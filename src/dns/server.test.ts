import { createSocket, type Socket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { connect } from "node:net";
import { decode, encode, type RecordType } from "dns-packet";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AtWork, startController } from "../../test/builders/controller.ts";
import { podBody } from "../../test/builders/resources.ts";
import type { Service } from "../api/generated/core.ts";
import type { EndpointSlice } from "../api/generated/discovery.ts";
import { endpointSlices, pods, services } from "../api/resources.ts";
import { silentLog } from "../base/log.ts";
import { endpointsController } from "../controllers/endpoints/endpoints-controller.ts";
import { type OpenView, openClusterView } from "./cluster-view.ts";
import { type DnsServer, openDnsServer } from "./server.ts";
import { openUpstream } from "./upstream.ts";

let work: AtWork;
let view: OpenView;
let elsewhere: FakeServer;
let server: DnsServer;
let resolver: Resolver;
let isWelcome = true;

beforeEach(async () => {
  isWelcome = true;
  work = await startController(endpointsController);
  const { clock, random } = work.server;
  const following = { client: work.client, clock, random, log: silentLog };
  view = await openClusterView({ ...following, isOurs: (address) => address.startsWith("10.") });
  elsewhere = await FakeServer.open();
  server = await openDnsServer({
    view,
    upstream: openUpstream({ servers: () => [`127.0.0.1:${elsewhere.port}`], timeoutMs: 500 }),
    address: "127.0.0.1",
    port: 0,
    log: silentLog,
    mayAsk: () => isWelcome,
  });
  resolver = new Resolver({ timeout: 1000, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.port}`]);
});

afterEach(async () => {
  await server.close();
  elsewhere.close();
  view.close();
  work.stop();
});

async function aService(name: string, spec: object): Promise<Service> {
  const metadata = { name, namespace: "default" };
  const body = { apiVersion: "v1", kind: "Service", metadata, spec, status: {} };
  const made = await work.client.create(services, body as unknown as Service);
  await work.settle();
  return made;
}

async function aPod(name: string, podIP: string, { spec = {}, metadata = {} } = {}): Promise<void> {
  await work.client.create(pods, podBody({ name, labels: { app: "x" }, ...metadata }, spec));
  const conditions = [{ type: "Ready", status: "True" }];
  const status = { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions };
  await tell(name, status);
}

async function tell(name: string, status: object): Promise<void> {
  const request = { type: "merge", subresource: "status", body: { status } } as const;
  await work.client.patch(pods, { namespace: "default", name }, request);
  await work.settle();
}

const failure = (error: { readonly code: string }) => error.code;

describe("a resolver", () => {
  test("resolves a Service, its port, and its address in reverse", async () => {
    const { spec } = await aService("web", { ports: [{ name: "http", port: 80 }] });
    const { clusterIP = "" } = spec;
    const name = "web.default.svc.cluster.local";
    expect(await resolver.resolve4(name)).toEqual([clusterIP]);
    expect(await resolver.resolveSrv(`_http._tcp.${name}`)).toEqual([
      { name, port: 80, priority: 0, weight: 100 },
    ]);
    expect(await resolver.reverse(clusterIP)).toEqual([name]);
    expect(await resolver.resolve6(name).catch(failure)).toBe("ENODATA");
    expect(await resolver.resolve4(`x.${name}`).catch(failure)).toBe("ENOTFOUND");
  });

  test("resolves the pods of a headless Service while they are ready", async () => {
    await aService("db", { clusterIP: "None", selector: { app: "x" } });
    await aPod("a", "10.1.0.1", { spec: { hostname: "db-0", subdomain: "db" } });
    await aPod("b", "10.1.0.2");
    const name = "db.default.svc.cluster.local";
    expect((await resolver.resolve4(name)).sort()).toEqual(["10.1.0.1", "10.1.0.2"]);
    expect(await resolver.resolve4(`db-0.${name}`)).toEqual(["10.1.0.1"]);
    await tell("a", { conditions: [{ type: "Ready", status: "False" }] });
    expect(await resolver.resolve4(name)).toEqual(["10.1.0.2"]);
    expect(await resolver.resolve4(`db-0.${name}`).catch(failure)).toBe("ENOTFOUND");
  });

  test("resolves an index of a Job while its pod is active and has an address", async () => {
    await aService("peers", { clusterIP: "None", selector: { app: "x" } });
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "u", controller: true };
    const annotations = { "batch.kubernetes.io/job-completion-index": "0" };
    const metadata = { annotations, ownerReferences: [owner] };
    const spec = { hostname: "j-0", subdomain: "peers" };
    await work.client.create(pods, podBody({ name: "p", labels: { app: "x" }, ...metadata }, spec));
    const name = "j-0.peers.default.svc.cluster.local";
    expect(await resolver.resolve4(name).catch(failure)).toBe("ENOTFOUND");
    await tell("p", { phase: "Pending", podIP: "127.64.1.2", podIPs: [{ ip: "127.64.1.2" }] });
    expect(await resolver.resolve4(name)).toEqual(["127.64.1.2"]);
    await tell("p", { phase: "Succeeded" });
    expect(await resolver.resolve4(name).catch(failure)).toBe("ENOTFOUND");
  });

  test("gets the version of the specification", async () => {
    expect(await resolver.resolveTxt("dns-version.cluster.local")).toEqual([["1.1.0"]]);
  });

  test("gets answers of the host's name servers for other names", async () => {
    expect(await resolver.resolve4("elsewhere.example")).toEqual(["192.0.2.7"]);
    expect(await resolver.resolve4("nowhere.example").catch(failure)).toBe("ENOTFOUND");
  });

  test("gets the address of an alias's target with the alias", async () => {
    await aService("alias", { type: "ExternalName", externalName: "elsewhere.example" });
    await aService("again", {
      type: "ExternalName",
      externalName: "alias.default.svc.cluster.local",
    });
    const addresses = await resolver.resolve4("again.default.svc.cluster.local");
    expect(addresses).toEqual(["192.0.2.7"]);
  });

  test("gets SERVFAIL if no upstream server answers", async () => {
    elsewhere.isSilent = true;
    expect(await resolver.resolve4("elsewhere.example").catch(failure)).toBe("ESERVFAIL");
  });

  test("retries by TCP if the answer is too long for a datagram", async () => {
    await aService("many", { clusterIP: "None" });
    const labels = { "kubernetes.io/service-name": "many" };
    const all = Array.from({ length: 90 }, (_, at) => ({ addresses: [`10.1.0.${at + 1}`] }));
    const metadata = { name: "many-1", namespace: "default", labels };
    const slice = { metadata, addressType: "IPv4", endpoints: all };
    await work.client.create(endpointSlices, slice as unknown as EndpointSlice);
    const asked = question("many.default.svc.cluster.local", "A");
    const short = decode(await byDatagram(asked));
    expect(short.flag_tc).toBe(true);
    expect(decode(await byStream(asked)).answers).toHaveLength(90);
    expect(await resolver.resolve4("many.default.svc.cluster.local")).toHaveLength(90);
  });
});

test("clients outside this machine are not answered", async () => {
  isWelcome = false;
  const answer = resolver.resolve4("web.default.svc.cluster.local").catch(failure);
  expect(await answer).toBe("ETIMEOUT");
  await expect(byStream(question("web.default.svc.cluster.local", "A"))).rejects.toThrow();
});

test("opening fails if the address is in use", async () => {
  const { port } = server;
  const options = { view, upstream: openUpstream({ servers: () => [] }), log: silentLog };
  const opening = openDnsServer({ ...options, address: "127.0.0.1", port, mayAsk: () => true });
  await expect(opening).rejects.toThrow("EADDRINUSE");
});

function question(name: string, type: RecordType): Buffer {
  return Buffer.from(
    encode({ id: 9, questions: [{ name, type }] } as Parameters<typeof encode>[0]),
  );
}

function byDatagram(asked: Buffer): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = createSocket("udp4");
    socket.on("message", (answer) => {
      socket.close();
      resolve(answer);
    });
    socket.send(asked, server.port, "127.0.0.1");
  });
}

function byStream(asked: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, "127.0.0.1");
    const pieces: Buffer[] = [];
    const length = Buffer.alloc(2);
    length.writeUInt16BE(asked.length);
    socket.write(Buffer.concat([length, asked]));
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("closed")));
    socket.on("data", (piece) => {
      pieces.push(piece);
      const all = Buffer.concat(pieces);
      if (all.length < 2 + all.readUInt16BE(0)) return;
      resolve(all.subarray(2));
      socket.destroy();
    });
  });
}

/** A name server of the host, which knows a single name. */
class FakeServer {
  isSilent = false;

  private constructor(
    private readonly socket: Socket,
    readonly port: number,
  ) {
    socket.on("message", (asked, from) => {
      if (!this.isSilent) socket.send(answerTo(asked), from.port, from.address);
    });
  }

  static async open(): Promise<FakeServer> {
    const socket = createSocket("udp4");
    await new Promise<void>((resolve) => void socket.bind(0, "127.0.0.1", resolve));
    return new FakeServer(socket, socket.address().port);
  }

  close(): void {
    this.socket.close();
  }
}

const NXDOMAIN = 3;

function answerTo(asked: Buffer): Buffer {
  const { id, questions = [] } = decode(asked);
  const [first] = questions;
  const name = first?.name ?? "";
  const isKnown = name === "elsewhere.example" && first?.type === "A";
  const packet = {
    id: id ?? 0,
    type: "response" as const,
    flags: name === "elsewhere.example" ? 0 : NXDOMAIN,
    questions,
    answers: isKnown ? [{ type: "A" as const, name, ttl: 60, data: "192.0.2.7" }] : [],
  };
  return Buffer.from(encode(packet));
}
