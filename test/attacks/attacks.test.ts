/**
 * Attacks that one server must reject while it serves another client. More attacks: test/http and
 * the tests next to src/server/http check the exact answers, test/fuzz fuzzes the parsers, and
 * test/long has two thousand watchers and a client that floods the server.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Connection, open } from "../http/raw.ts";
import type { Attack } from "./attack.ts";
import { BODY_ATTACKS } from "./body-attacks.ts";
import { BROWSER_ATTACKS } from "./browser-attacks.ts";
import { FLOOD_ATTACKS } from "./flood-attacks.ts";
import { IDENTITY_ATTACKS } from "./identity-attacks.ts";
import { PATCH_ATTACKS } from "./patch-attacks.ts";
import { PATH_ATTACKS } from "./path-attacks.ts";
import { QUERY_ATTACKS } from "./query-attacks.ts";
import { ask, highWaterBytes, openTarget, spentMs, type Target } from "./target.ts";
import { WIRE_ATTACKS } from "./wire-attacks.ts";

const MIB = 1024 * 1024;
/** The most CPU time that one attack may cost: other clients wait at most that long. */
const MOST_MS = 3_000;
/** The most wall-clock time, however busy the machine is: clients give up after it. */
const LONGEST_WAIT_MS = 20_000;
const MOST_MEMORY_MIB = 600;
const SLOW_CONNECTIONS = 50;

const ATTACKS: readonly (readonly [string, readonly Attack[]])[] = [
  ["on the wire", WIRE_ATTACKS],
  ["by the path", PATH_ATTACKS],
  ["with the identity of another user", IDENTITY_ATTACKS],
  ["from a browser", BROWSER_ATTACKS],
  ["by query parameters", QUERY_ATTACKS],
  ["by request bodies", BODY_ATTACKS],
  ["by patches", PATCH_ATTACKS],
  ["by floods", FLOOD_ATTACKS],
];

let target: Target;
let directory: string;
let slow: readonly Connection[];
let bystander: Bystander;

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "tally-attacks-"));
  target = await openTarget(path.join(directory, "audit.log"));
  slow = await Promise.all(Array.from({ length: SLOW_CONNECTIONS }, () => open(target.tally)));
  for (const { socket } of slow) socket.write("GET /version HTTP/1.1\r\nX-Slow: ");
  bystander = startBystander();
});

afterAll(async () => {
  await bystander.stop();
  await target.tally.dispose();
  rmSync(directory, { recursive: true, force: true });
});

interface Bystander {
  stop(): Promise<{
    readonly answered: number;
    readonly refused: readonly number[];
    readonly longestMs: number;
  }>;
}

/** Reads one object repeatedly while the attacks run. */
function startBystander(): Bystander {
  let isOver = false;
  let answered = 0;
  let longestMs = 0;
  const refused: number[] = [];
  const headers = { "User-Agent": "bystander" };
  const loop = async (): Promise<void> => {
    while (!isOver) {
      const path = "/api/v1/namespaces/own/configmaps/own";
      const began = performance.now();
      const { status } = await ask(target, { path, headers, as: "mallory" });
      longestMs = Math.max(longestMs, performance.now() - began);
      if (status === 200) answered++;
      else refused.push(status);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const done = loop();
  return {
    stop: async () => {
      isOver = true;
      await done;
      return { answered, refused, longestMs };
    },
  };
}

test("there are at least sixty attacks, each with its own name", () => {
  const names = ATTACKS.flatMap(([how, attacks]) => attacks.map(({ name }) => `${how}: ${name}`));
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect(new Set(names).size).toBe(names.length);
});

describe.each(ATTACKS)("%s", (_, attacks) => {
  test.each(attacks.map((attack) => [attack.name, attack] as const))(
    "%s",
    async (_name, attack) => {
      const before = spentMs(target);
      await attack.run(target);
      expect(spentMs(target) - before).toBeLessThan(MOST_MS);
      expect(target.tally.process.exitCode).toBeNull();
    },
  );
});

test("the attacked ConfigMap is unchanged", async () => {
  const { status, json } = await target.tally.call(
    "GET",
    "/api/v1/namespaces/default/configmaps/victim",
  );
  expect([status, json.data]).toEqual([200, { a: "b" }]);
});

test("clients that send headers byte by byte are disconnected", async () => {
  const timer = setInterval(() => {
    for (const { socket } of slow) if (socket.writable) socket.write("x");
  }, 500);
  const told = await Promise.all(slow.map((connection) => connection.over()));
  clearInterval(timer);
  expect(told.filter((text) => !/^(?:$|HTTP\/1\.1 408 )/.test(text))).toEqual([]);
});

test("another client was served all the time, and memory stayed bounded", async () => {
  const { answered, refused, longestMs } = await bystander.stop();
  expect({ answered: answered > 20, refused }).toEqual({ answered: true, refused: [] });
  expect(longestMs).toBeLessThan(LONGEST_WAIT_MS);
  expect(Math.round(highWaterBytes(target) / MIB)).toBeLessThan(MOST_MEMORY_MIB);
});

test("logs contain no token, and clients cannot inject lines into them", async () => {
  const agent = 'curl\u0085{"level":"error","message":"forged"}';
  const headers = { "User-Agent": Buffer.from(agent).toString("latin1") };
  await ask(target, { path: "/api/v1/namespaces/own/pods/%0a%7b%22level%22:1%7d", headers });
  await bystander.stop();
  const log = target.tally.log();
  const audit = readFileSync(target.auditFile, "utf8");
  for (const line of `${log}${audit}`.trim().split("\n"))
    expect(() => JSON.parse(line)).not.toThrow();
  for (const secret of [target.tally.token, target.mallory]) {
    expect(log.includes(secret)).toBe(false);
    expect(audit.includes(secret)).toBe(false);
  }
  const { pid } = target.tally.process;
  expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain(target.tally.token);
});
