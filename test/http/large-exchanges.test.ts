/** Large requests that follow large answers on the same connection. */
import { Agent, request } from "node:https";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTally, type Tally } from "../support/tally.ts";

const TIMES = 60;

let tally: Tally;
beforeAll(async () => {
  tally = await startTally({ args: ["--controllers=none"] });
});
afterAll(() => tally.dispose());

test("a connection that carries large requests and answers is not reset", async () => {
  const data = Object.fromEntries(
    Array.from({ length: 1500 }, (_, at) => [`key-${at}`, "x".repeat(60)]),
  );
  const body = JSON.stringify({ metadata: { name: "large" }, data });
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const statuses: number[] = [];
  for (let at = 0; at < TIMES; at++) statuses.push(await post(agent, body));
  agent.destroy();
  expect(statuses).toEqual(Array.from({ length: TIMES }, () => 201));
});

function post(agent: Agent, body: string): Promise<number> {
  const url = `${tally.url}/api/v1/namespaces/default/configmaps?dryRun=All`;
  const headers = { Authorization: `Bearer ${tally.token}`, "Content-Type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: "POST", headers }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", reject).end(body);
  });
}
