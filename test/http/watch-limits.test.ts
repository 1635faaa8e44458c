/** What one watch does to the server and to other watches. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTally, type Tally } from "../support/tally.ts";
import { type Connection, head, open } from "./raw.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const ROUNDS = 25;
const LARGE = "x".repeat(500_000);

let tally: Tally;
beforeEach(async () => {
  tally = await startTally({ args: ["--no-agent", "--controllers=none"] });
});
afterEach(() => tally.dispose());

async function watch(query = ""): Promise<Connection> {
  const connection = await open(tally);
  connection.socket.write(head(tally, `GET ${CONFIG_MAPS}?watch=1${query} HTTP/1.1`));
  await connection.until(/\r\n\r\n/);
  return connection;
}

test("a watch that is not read delays no other client, and loses no event", async () => {
  await tally.call("POST", CONFIG_MAPS, { metadata: { name: "large" }, data: { a: LARGE } });
  const stuck = await watch();
  await stuck.until(/"type":"ADDED"/);
  stuck.socket.pause();
  const reading = await watch();
  const labelled = { "Content-Type": "application/merge-patch+json" };
  for (let round = 1; round <= ROUNDS; round++) {
    const change = { metadata: { labels: { round: String(round) } } };
    const answer = await tally.call("PATCH", `${CONFIG_MAPS}/large`, change, labelled);
    expect(answer.status).toBe(200);
  }
  const last = new RegExp(`"round":"${ROUNDS}"`);
  for (const connection of [reading, stuck]) {
    connection.socket.resume();
    const told = await connection.until(last);
    expect(told.match(/"type":"MODIFIED"/g)).toHaveLength(ROUNDS);
    connection.socket.destroy();
  }
});

test("broken watches do not affect later ones", async () => {
  for (let round = 0; round < 5; round++) {
    const broken = await Promise.all(Array.from({ length: 20 }, () => watch()));
    for (const { socket } of broken) socket.destroy();
  }
  const following = await watch();
  await tally.call("POST", CONFIG_MAPS, { metadata: { name: "seen" } });
  expect(await following.until(/"name":"seen"/)).toContain('"type":"ADDED"');
  following.socket.destroy();
});

test("a watch ends cleanly after timeoutSeconds", async () => {
  const brief = await watch("&timeoutSeconds=1");
  expect(await brief.until(/\r\n0\r\n\r\n/)).toMatch(/\r\n0\r\n\r\n$/);
  brief.socket.write(head(tally, "GET /readyz HTTP/1.1"));
  expect(await brief.until(/ok$/)).toMatch(/ok$/);
  brief.socket.destroy();
});

test("a server that stops ends its watches cleanly", async () => {
  const open = await watch();
  expect(await tally.stop()).toBe(0);
  expect(await open.over()).toMatch(/\r\n0\r\n\r\n$/);
});
