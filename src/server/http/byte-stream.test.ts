/**
 * Streams over real connections: a server on a free port, and clients that disconnect or are slow.
 */
import { get as httpGet, type IncomingMessage } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { podBody } from "../../../test/builders/resources.ts";
import { aServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";
import type { LogSource } from "../../api/log-source.ts";
import { type Listener, listen } from "./listen.ts";

const PODS = "/api/v1/namespaces/default/pods";
const PIECE_BYTES = 64 * 1024;

let listener: Listener;
let open: LogSource["open"];
beforeEach(async () => {
  const logs: LogSource = { open: (...asked) => open(...asked) };
  const server = { ...aServer(), logs };
  ask(server, "POST", PODS, podBody({ name: "p" }, { nodeName: "n" }));
  const authenticate = () => ({ name: "tester", groups: [] });
  const guard = { hosts: new Set(["127.0.0.1"]), authenticate };
  listener = await listen(server, { address: "127.0.0.1", port: 0, guard });
});
afterEach(() => listener.close());

test("chunks arrive as they are produced, headers before the first", async () => {
  const gate = withGate();
  open = async () =>
    (async function* () {
      await gate.opened;
      yield Buffer.from("one ");
      yield Buffer.from("two");
    })();
  const response = await get();
  expect(response.statusCode).toBe(200);
  expect(response.headers).toMatchObject({
    "content-type": "text/plain",
    "transfer-encoding": "chunked",
  });
  gate.open();
  expect(await textOf(response)).toBe("one two");
});

test("a source that fails is answered with a Status", async () => {
  open = async () => Promise.reject(new Error("disk on fire"));
  const response = await get();
  expect(response.statusCode).toBe(500);
  expect(JSON.parse(await textOf(response))).toMatchObject({ kind: "Status", code: 500 });
});

test("a client that disconnects ends the reading", async () => {
  const ended = withGate();
  open = async (_pod, _request, signal) =>
    (async function* () {
      yield Buffer.from("x");
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      ended.open();
    })();
  const response = await get();
  response.destroy();
  await ended.opened;
});

test("a server that stops ends its streams", async () => {
  const waits = withGate();
  open = async (_pod, _request, signal) =>
    (async function* () {
      yield Buffer.from("last words");
      waits.open();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    })();
  const response = await get();
  const text = textOf(response);
  await waits.opened;
  await listener.close();
  expect(await text).toBe("last words");
});

test("a broken stream does not look complete to the client", async () => {
  open = async () =>
    (async function* () {
      yield Buffer.from("half");
      throw new Error("unreadable");
    })();
  await expect(textOf(await get())).rejects.toThrow("aborted");
});

test("a slow client applies back-pressure to the source", async () => {
  const most = 1000;
  let read = 0;
  open = async () =>
    (async function* () {
      for (; read < most; read++) yield Buffer.alloc(PIECE_BYTES);
    })();
  const response = await get();
  await new Promise((resolve) => response.once("readable", resolve));
  const before = await steady(() => read);
  expect(before).toBeLessThan(most);
  let bytes = 0;
  for await (const piece of response) bytes += piece.length;
  expect(bytes).toBe(most * PIECE_BYTES);
});

/** The value once it has stopped changing. */
async function steady(value: () => number): Promise<number> {
  for (let last = -1; ; last = value()) {
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (value() === last) return last;
  }
}

function withGate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

function get(): Promise<IncomingMessage> {
  const url = `http://127.0.0.1:${listener.port}${PODS}/p/log?follow=true`;
  return new Promise((resolve, reject) => {
    httpGet(url, { agent: false }, resolve).on("error", reject);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}
