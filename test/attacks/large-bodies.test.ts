/**
 * Large bodies: other users are served while one is parsed, and one that costs too much is
 * rejected.
 */
import { request } from "node:http";
import { afterEach, expect, test } from "vitest";
import { encodeProtobuf } from "../../src/api/schema/protobuf.ts";
import { type Listener, listen } from "../../src/server/http/listen.ts";
import { MOST_VALUES } from "../../src/server/http/values.ts";
import type { YamlThread } from "../../src/server/http/yaml/yaml-reader.ts";
import { aServer } from "../builders/server.ts";
import { poll } from "../support/poll.ts";

const DEFAULT = "/api/v1/namespaces/default";
const MAPS = `${DEFAULT}/configmaps`;
const PODS = `${DEFAULT}/pods`;
const YAML = "application/yaml";

let listener: Listener;
afterEach(() => listener.close());

async function start(startYaml?: () => YamlThread): Promise<void> {
  const guard = {
    hosts: new Set(["127.0.0.1"]),
    authenticate: ({ authorization = "" }) => ({ name: authorization, groups: ["system:masters"] }),
  };
  const more = startYaml ? { startYaml } : {};
  listener = await listen(aServer(), { address: "127.0.0.1", port: 0, guard, ...more });
}

interface Asked {
  readonly user: string;
  readonly method?: string;
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string | Uint8Array;
}

interface Told {
  readonly status: number;
  readonly text: string;
}

function send({ user, method = "GET", path, contentType, body }: Asked): Promise<Told> {
  const type = contentType === undefined ? {} : { "Content-Type": contentType };
  const length = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
  const headers = { Authorization: user, ...type, ...length };
  return new Promise((resolve, reject) => {
    const { port } = listener;
    const sent = request({ host: "127.0.0.1", port, method, path, headers, agent: false });
    sent.on("error", reject);
    sent.on("response", async (response) => {
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece as Buffer);
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString("utf8") });
    });
    sent.end(body);
  });
}

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join("\n");
const HEAD = "apiVersion: v1\nkind: ConfigMap\n";
const yamlMap = (name: string, keys: number): string =>
  `${HEAD}metadata: {name: ${name}}\ndata:\n${lines(keys, (at) => `  k${at}: v`)}`;
const jsonKeys = (count: number): string =>
  JSON.stringify({
    metadata: { name: "a" },
    data: Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, "v"])),
  });

test("other users are served while large YAML is parsed, one body per user at a time", async () => {
  const inWork: (() => void)[] = [];
  await start(() => ({
    read: () =>
      new Promise((resolve) => {
        inWork.push(() => resolve({ problem: "yaml: it was in work" }));
      }),
    close: () => {},
  }));
  const body = yamlMap("a", 2_000);
  const post = (user: string) =>
    send({ user, method: "POST", path: MAPS, contentType: YAML, body });
  const six = Array.from({ length: 6 }, () => post("mallory"));
  await poll(() => inWork.length).toBe(1);
  expect((await send({ user: "alice", path: `${DEFAULT}` })).status).toBe(200);
  const short = { metadata: { name: "short" } };
  const small = { method: "POST", path: MAPS, body: JSON.stringify(short) };
  expect((await send({ user: "alice", contentType: YAML, ...small })).status).toBe(201);
  const another = post("alice");
  await poll(() => inWork.length).toBe(2);
  let answered = 0;
  for (const each of [...six, another]) void each.then(() => answered++);
  for (let done = 0; done < 7; done++) {
    await poll(() => inWork.length).toBeGreaterThan(done);
    expect(inWork.length - done).toBeLessThanOrEqual(2);
    inWork[done]?.();
  }
  await poll(() => answered).toBe(7);
  expect((await another).text).toContain("yaml: it was in work");
});

test("large YAML is parsed like short YAML", async () => {
  await start();
  const made = { method: "POST", path: MAPS, contentType: YAML, body: yamlMap("made", 2_000) };
  const { status, text } = await send({ user: "alice", ...made });
  expect([status, Object.keys(JSON.parse(text).data).length]).toEqual([201, 2_000]);
  const applied = await send({
    user: "alice",
    method: "PATCH",
    path: `${MAPS}/made?fieldManager=m&force=true`,
    contentType: "application/apply-patch+yaml",
    body: yamlMap("made", 2_001),
  });
  expect([applied.status, Object.keys(JSON.parse(applied.text).data).length]).toEqual([200, 2_001]);
  const wrong = { ...made, body: `${made.body}\na: b: c` };
  expect((await send({ user: "alice", ...wrong })).text).toContain(
    "line 2005: mapping values are not allowed in this context",
  );
});

const TOO_LARGE: readonly (readonly [string, Omit<Asked, "user">])[] = [
  ["JSON keys", { path: MAPS, body: jsonKeys(MOST_VALUES) }],
  ["JSON items", { path: PODS, body: `{"a":[${"0,".repeat(MOST_VALUES)}0]}` }],
  ["YAML keys", { path: MAPS, contentType: YAML, body: yamlMap("a", 2 * MOST_VALUES) }],
  ["YAML items", { path: MAPS, contentType: YAML, body: `a:\n${"- 1\n".repeat(700_000)}` }],
  ["YAML brackets", { path: MAPS, contentType: YAML, body: `[${"[],".repeat(900_000)}]` }],
  [
    "YAML aliases in a short text",
    {
      path: MAPS,
      contentType: YAML,
      body: `a: &a [${"1,".repeat(1_000)}]\nb: [${"*a,".repeat(1_000)}]`,
    },
  ],
  ...["application/merge-patch+json", "application/strategic-merge-patch+json"].map(
    (contentType) =>
      [
        contentType,
        { method: "PATCH", path: `${MAPS}/a`, contentType, body: jsonKeys(MOST_VALUES) },
      ] as const,
  ),
  ["delete options", { method: "DELETE", path: `${MAPS}/a`, body: jsonKeys(MOST_VALUES) }],
];

test.each(TOO_LARGE)("a body with too many values is rejected: %s", async (_, asked) => {
  await start();
  const { status, text } = await send({ user: "mallory", method: "POST", ...asked });
  expect([status, JSON.parse(text).message]).toEqual([
    413,
    "Request entity too large: limit is 20000 fields and items",
  ]);
});

test("a protobuf message with too many values is rejected", async () => {
  await start();
  const finalizers = Array.from({ length: MOST_VALUES + 1 }, () => "a");
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", finalizers } };
  const { status, text } = await send({
    user: "mallory",
    method: "POST",
    path: MAPS,
    contentType: "application/vnd.kubernetes.protobuf",
    body: encodeProtobuf(object, "core/v1.ConfigMap"),
  });
  expect([status, text]).toEqual([400, expect.stringContaining("too many fields and items")]);
});

test("an answer lists a thousand errors, and the number of further ones", async () => {
  await start();
  const body = `{"metadata":{"name":"a"},"spec":{"containers":[${"{},".repeat(5_000)}{}]}}`;
  const { status, text } = await send({ user: "mallory", method: "POST", path: PODS, body });
  expect(status).toBe(422);
  expect(text.length).toBeLessThan(1_000_000);
  const { message, details } = JSON.parse(text);
  expect(details.causes).toHaveLength(1_000);
  expect(message).toMatch(/, and \d+ more\]$/);
});
