/**
 * The prefix rule as clients see it: over real HTTP, on a journal that syncs when the test tells it
 * to and loses everything unsynced when it is killed.
 */
import { request } from "node:http";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { systemRandom } from "../../src/base/random.ts";
import { registry } from "../../src/kinds/registry.ts";
import { openAdmission } from "../../src/server/admission/admission.ts";
import { bootstrap } from "../../src/server/bootstrap.ts";
import { type Listener, listen } from "../../src/server/http/listen.ts";
import type { ApiServer } from "../../src/server/http/request.ts";
import { INDEXES } from "../../src/server/indexes.ts";
import { tokenVerifier } from "../../src/server/tokens/verify-token.ts";
import { openOnJournal } from "../../src/store/open.ts";
import { poll } from "../support/poll.ts";
import { DroppingJournal } from "./dropping-journal.ts";

const ADMIN = { name: "admin", groups: ["system:masters"] };
const PATH = "/api/v1/namespaces/default/configmaps";

let listener: Listener | undefined;
afterEach(() => listener?.close());

async function serve(journal: DroppingJournal): Promise<{ server: ApiServer; port: number }> {
  const store = await openOnJournal(journal, { indexes: INDEXES });
  const server: ApiServer = {
    store,
    registry,
    admission: openAdmission(store, { serviceCidr: "10.96.0.0/16" }),
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    tokens: tokenVerifier({ store, clock: systemClock }),
    address: "127.0.0.1",
  };
  bootstrap(server, { address: "127.0.0.1", port: 6443 });
  await store.durable(store.revision);
  const guard = { hosts: new Set(["127.0.0.1"]), authenticate: () => ADMIN };
  listener = await listen(server, { address: "127.0.0.1", port: 0, guard });
  return { server, port: listener.port };
}

interface Exchange {
  /** The body received so far. */
  text(): string;
  readonly answered: Promise<number>;
  readonly ended: Promise<void>;
}

function send(port: number, method: string, path: string, body?: object): Exchange {
  let text = "";
  let onEnd: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    onEnd = resolve;
  });
  const answered = new Promise<number>((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, method, path }, (response) => {
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("close", onEnd);
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end(body && JSON.stringify(body));
  });
  return { text: () => text, answered, ended };
}

const configMap = (name: string) => ({ metadata: { name }, data: { of: name } });

/** A round trip on another connection: by then the server has sent everything it had to send. */
async function settle(port: number): Promise<void> {
  expect(await send(port, "GET", "/healthz").answered).toBe(200);
}

test("no answer, list or watch shows a write before it is synced", async () => {
  const journal = new DroppingJournal({ isAutomatic: true });
  const { server, port } = await serve(journal);
  const from = server.store.revision;
  const watch = send(port, "GET", `${PATH}?watch=1&resourceVersion=${from}`);
  expect(await watch.answered).toBe(200);
  journal.isAutomatic = false;

  const heard: string[] = [];
  const note = (what: string) => (status: number) => heard.push(`${what} ${status}`);
  const created = send(port, "POST", PATH, configMap("a"));
  created.answered.then(note("create"));
  await poll(() => journal.isWriting).toBe(true);
  const listed = send(port, "GET", PATH);
  listed.answered.then(note("list"));
  const got = send(port, "GET", `${PATH}/a`);
  got.answered.then(note("get"));
  await settle(port);
  expect(
    server.store.get({ resource: "configmaps", namespace: "default", name: "a" }),
  ).toBeDefined();
  expect(heard).toEqual([]);
  expect(watch.text()).toBe("");

  journal.isAutomatic = true;
  expect(await created.answered).toBe(201);
  expect(await listed.answered).toBe(200);
  expect(await got.answered).toBe(200);
  await poll(() => watch.text()).toContain('"name":"a"');
});

test("an acknowledged write survives a power cut; an unacknowledged one may be lost", async () => {
  const journal = new DroppingJournal({ isAutomatic: true });
  const before = await serve(journal);
  expect(await send(before.port, "POST", PATH, configMap("answered")).answered).toBe(201);
  journal.isAutomatic = false;
  const lost = send(before.port, "POST", PATH, configMap("unanswered"));
  const outcome = lost.answered.catch(() => 0);
  await poll(() => journal.isWriting).toBe(true);
  const survivor = journal.kill();
  await listener?.close();
  expect(await outcome).toBe(0);

  survivor.isAutomatic = true;
  const after = await serve(survivor);
  expect(await send(after.port, "GET", `${PATH}/answered`).answered).toBe(200);
  expect(await send(after.port, "GET", `${PATH}/unanswered`).answered).toBe(404);
});

test("a write that the disk rejects is undone and answered with the reason", async () => {
  const journal = new DroppingJournal({ isAutomatic: true });
  const { port } = await serve(journal);
  journal.isAutomatic = false;
  const refused = send(port, "POST", PATH, configMap("refused"));
  await poll(() => journal.isWriting).toBe(true);
  journal.fail(Object.assign(new Error("no space left on device"), { code: "ENOSPC" }));
  journal.isAutomatic = true;
  expect(await refused.answered).toBe(500);
  await refused.ended;
  expect(JSON.parse(refused.text()).message).toContain("no space left");
  expect(await send(port, "GET", `${PATH}/refused`).answered).toBe(404);
  expect(await send(port, "POST", PATH, configMap("refused")).answered).toBe(201);
});
