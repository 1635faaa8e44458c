import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { Credentials } from "../base/credentials.ts";
import { wholeText } from "./http-connection.ts";
import { openConnection } from "./renewing-connection.ts";

/** A server that accepts one token, and a credential source with several, one after the other. */
async function serve(taken: string, tokens: readonly string[]) {
  const heard: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    heard.push(headers.authorization);
    response.statusCode = headers.authorization === `Bearer ${taken}` ? 200 : 401;
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const known = tokens.map((token): Credentials => ({ token }));
  let at = 0;
  const connection = openConnection({
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: {
      current: async () => known[at] ?? {},
      refused: () => {
        at = Math.min(at + 1, known.length - 1);
      },
    },
  });
  const close = () => {
    connection.close();
    server.close();
    server.closeAllConnections();
  };
  return { connection, heard, close };
}

const GET = { method: "GET", path: "/x" } as const;

test("a rejected token is renewed and the request is repeated", async ({ onTestFinished }) => {
  const { connection, heard, close } = await serve("new", ["old", "new"]);
  onTestFinished(close);
  const answer = await connection.send(GET);
  expect(answer.status).toBe(200);
  expect(await wholeText(answer)).toBe("{}");
  expect((await connection.stream(GET, new AbortController().signal)).status).toBe(200);
  expect(heard).toEqual(["Bearer old", "Bearer new", "Bearer new"]);
});

test("without another token the 401 is returned", async ({ onTestFinished }) => {
  const { connection, heard, close } = await serve("other", ["old"]);
  onTestFinished(close);
  expect((await connection.send(GET)).status).toBe(401);
  expect(heard).toEqual(["Bearer old"]);
});
