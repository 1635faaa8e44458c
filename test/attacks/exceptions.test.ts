/**
 * Throws an exception at each step at which the HTTP layer leaves its own code: every call to the
 * store, the clock, the node and the response, and every promise that it awaits. The request may
 * fail; the server answers the next request and has counted the exception.
 */
import { request, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import { type Listener, listen } from "../../src/server/http/listen.ts";
import type { ApiServer } from "../../src/server/http/request.ts";
import { configMapBody, podBody } from "../builders/resources.ts";
import { aServer } from "../builders/server.ts";
import { ask } from "../support/ask.ts";
import { poll } from "../support/poll.ts";

const DEFAULT = "/api/v1/namespaces/default";
const MAPS = `${DEFAULT}/configmaps`;
const POD = `${DEFAULT}/pods/p`;
const MOST_STEPS = 2_000;

/** Counts steps, and throws at the step `failsAt`. */
class Faults {
  step = 0;
  failsAt = Number.POSITIVE_INFINITY;

  take(): void {
    this.step++;
    if (this.step === this.failsAt) throw new Error("injected");
  }

  wrap<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (_, key) => {
        const member: unknown = Reflect.get(target, key, target);
        if (typeof member !== "function") return member;
        return (...given: unknown[]) => {
          this.take();
          const outcome: unknown = member.apply(target, given);
          if (!(outcome instanceof Promise)) return outcome;
          return outcome.then((value) => {
            this.take();
            return value;
          });
        };
      },
    });
  }
}

interface Scene {
  readonly method?: string;
  readonly path: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: unknown;
  /** What the client does with an open stream before it disconnects. */
  readonly act?: (server: ApiServer, round: number) => void;
}

const websocket = (protocol: string) => ({
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Protocol": protocol,
});
const SPDY = { Connection: "Upgrade", Upgrade: "SPDY/3.1" };
const write = (server: ApiServer, round: number): void => {
  ask(server, "POST", MAPS, configMapBody({ name: `event-${round}` }));
};

const SCENES: readonly (readonly [string, Scene])[] = [
  ["a read", { path: `${MAPS}/large` }],
  ["a compressed answer", { path: `${MAPS}/large`, headers: { "Accept-Encoding": "gzip" } }],
  ["a list", { path: MAPS }],
  ["a write", { method: "POST", path: MAPS, body: configMapBody({ generateName: "made-" }) }],
  ["a watch", { path: `${MAPS}?watch=1&resourceVersion=0`, act: write }],
  ["a log", { path: `${POD}/log` }],
  [
    "exec over a WebSocket",
    { path: `${POD}/exec?command=id&stdout=1`, headers: websocket("v5.channel.k8s.io") },
  ],
  ["exec over SPDY", { path: `${POD}/exec?command=id&stdout=1`, headers: SPDY }],
  [
    "attach over a WebSocket",
    { path: `${POD}/attach?stdout=1`, headers: websocket("v4.channel.k8s.io") },
  ],
  [
    "port-forward over a WebSocket",
    { path: `${POD}/portforward?ports=80`, headers: websocket("v4.channel.k8s.io") },
  ],
  [
    "port-forward over SPDY in a WebSocket",
    { path: `${POD}/portforward`, headers: websocket("SPDY/3.1+portforward.k8s.io") },
  ],
  ["port-forward over SPDY", { path: `${POD}/portforward`, headers: SPDY }],
];

interface Setting {
  readonly server: ApiServer;
  readonly faults: Faults;
  readonly listener: Listener;
  readonly counted: () => number;
}

let setting: Setting | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await setting?.listener.close();
});

async function open(): Promise<Setting> {
  const plain = aServer();
  const faults = new Faults();
  const { server, counted } = faulty(plain, faults);
  ask(plain, "POST", `${DEFAULT}/pods`, podBody({ name: "p" }, { nodeName: "n" }));
  const large = { ...configMapBody({ name: "large" }), data: { text: "x".repeat(200_000) } };
  ask(plain, "POST", MAPS, large);
  failResponses(faults);
  const guard = {
    hosts: new Set(["127.0.0.1"]),
    authenticate: () => {
      faults.take();
      return { name: "tester", groups: ["system:masters"] };
    },
  };
  const listener = await listen(server, { address: "127.0.0.1", port: 0, guard });
  return { server: plain, faults, listener, counted };
}

function faulty(plain: ApiServer, faults: Faults) {
  let exceptions = 0;
  const command = () =>
    faults.wrap({
      stdout: new PassThrough().end("hello"),
      resize: () => {},
      ended: Promise.resolve({ exitCode: 0 }),
      close: () => {},
    });
  const streams = {
    exec: async () => command(),
    attach: async () => command(),
  };
  const logs = {
    open: async () =>
      (async function* () {
        faults.take();
        yield Buffer.from("hello");
        faults.take();
      })(),
  };
  const server: ApiServer = {
    ...plain,
    store: faults.wrap(plain.store),
    clock: faults.wrap(plain.clock),
    random: faults.wrap(plain.random),
    audit: faults.wrap({ note: () => {}, close: async () => {} }),
    // Without faults: an unreachable port is reported to the client, and is not an exception.
    streams: { ...faults.wrap(streams), connect: async () => new PassThrough().end("hello") },
    logs: faults.wrap(logs),
    exceptions: { add: () => exceptions++ },
  };
  return { server, counted: () => exceptions };
}

function failResponses(faults: Faults): void {
  for (const name of ["writeHead", "write", "end", "flushHeaders"] as const) {
    const original = ServerResponse.prototype[name] as (...given: unknown[]) => unknown;
    const failing = function (this: ServerResponse, ...given: unknown[]): unknown {
      faults.take();
      return original.apply(this, given);
    };
    vi.spyOn(ServerResponse.prototype, name).mockImplementation(failing as never);
  }
}

/** Settles when the exchange is over for the client, whatever the outcome. */
function play(port: number, { method = "GET", path, headers = {}, body }: Scene, then: () => void) {
  return new Promise<void>((resolve) => {
    const sent = request({ host: "127.0.0.1", port, method, path, headers, agent: false });
    const leave = (socket: Socket): void => {
      socket.on("error", () => {});
      socket.once("close", () => resolve());
      socket.once("data", () => socket.destroy());
      then();
      socket.end();
    };
    sent.on("error", () => resolve());
    sent.on("upgrade", (_, socket) => leave(socket as Socket));
    sent.on("response", (response) => {
      response.on("error", () => {}).once("close", () => resolve());
      then();
      if (path.includes("watch=1")) response.once("data", () => sent.destroy());
      else response.resume();
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const unhandled: unknown[] = [];
process.on("unhandledRejection", (error) => unhandled.push(error));
process.on("uncaughtException", (error) => unhandled.push(error));

test.each(SCENES)("an exception at any step of %s is contained", async (_, scene) => {
  setting = await open();
  const { server, faults, listener, counted } = setting;
  let failsAt = 0;
  for (let isThrough = false; !isThrough && failsAt < MOST_STEPS; ) {
    failsAt++;
    const before = counted();
    Object.assign(faults, { step: 0, failsAt });
    const round = failsAt;
    await play(listener.port, scene, () => scene.act?.(server, round));
    await new Promise((resolve) => setImmediate(resolve));
    isThrough = faults.step < failsAt;
    faults.failsAt = Number.POSITIVE_INFINITY;
    if (!isThrough) await poll(counted, { interval: 5 }).toBeGreaterThan(before);
    const probe = await fetch(`http://127.0.0.1:${listener.port}${MAPS}/large`);
    expect([failsAt, probe.status]).toEqual([failsAt, 200]);
    await probe.arrayBuffer();
  }
  expect(failsAt).toBeGreaterThan(3);
  expect(failsAt).toBeLessThan(MOST_STEPS);
  expect(unhandled).toEqual([]);
});
