import { createSocket } from "node:dgram";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { Balancer } from "./balancer.ts";
import { Forwarder } from "./forwarder.ts";
import type { Backend, Frontend } from "./plan.ts";

const opened: { close(): unknown }[] = [];
const problems: string[] = [];
let isWelcome = true;

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  problems.length = 0;
  isWelcome = true;
});

function aForwarder(): Forwarder {
  const forwarder = new Forwarder({
    mayConnect: () => isWelcome,
    onProblem: (_frontend, error) => problems.push(error.message),
  });
  opened.push(forwarder);
  return forwarder;
}

/** Answers every piece with its name in front, and with a dot at the end. */
async function anEcho(name: string): Promise<Backend> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("data", (piece) => socket.write(`${name}:${piece}`));
    socket.on("end", () => socket.end("."));
    socket.on("error", () => {});
  });
  return { address: "127.0.0.1", port: await listen(server) };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  opened.push({ close: () => server.close() });
  return (server.address() as { readonly port: number }).port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

async function aFrontend(backends: readonly Backend[], more: Partial<Frontend> = {}) {
  const port = more.port ?? (await freePort());
  const fixed = { protocol: "TCP", address: "127.0.0.1", name: "default/web", isOpen: false };
  return { ...fixed, backends, ...more, port } as Frontend;
}

/** Returns all data received until the other side ends. */
function talk(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    let heard = "";
    socket.on("data", (piece) => {
      heard += piece;
    });
    socket.on("end", () => resolve(heard));
    socket.on("error", reject);
    socket.end(text);
  });
}

describe("a connection to an address", () => {
  test("goes to the endpoints in turn, and each side sees the other's end", async () => {
    const frontend = await aFrontend([await anEcho("a"), await anEcho("b")]);
    await aForwarder().apply([frontend]);
    const heard = [await talk(frontend.port, "1"), await talk(frontend.port, "2")];
    expect(heard.sort()).toEqual(["a:1.", "b:2."]);
  });

  test("skips an endpoint that does not answer", async () => {
    const gone = { address: "127.0.0.1", port: await freePort() };
    const frontend = await aFrontend([gone, await anEcho("a")]);
    await aForwarder().apply([frontend]);
    expect(await talk(frontend.port, "x")).toBe("a:x.");
    expect(await talk(frontend.port, "y")).toBe("a:y.");
  });

  test("follows the newest plan, and is refused without one", async () => {
    const frontend = await aFrontend([await anEcho("a")]);
    const forwarder = aForwarder();
    await forwarder.apply([frontend]);
    await forwarder.apply([{ ...frontend, backends: [await anEcho("b")] }]);
    expect(await talk(frontend.port, "x")).toBe("b:x.");
    await forwarder.apply([]);
    await expect(talk(frontend.port, "x")).rejects.toThrow("ECONNREFUSED");
  });

  test("is refused for clients without permission, except on a node port", async () => {
    isWelcome = false;
    const backends = [await anEcho("a")];
    const closed = await aFrontend(backends);
    const open = await aFrontend(backends, { isOpen: true });
    await aForwarder().apply([closed, open]);
    await expect(talk(closed.port, "x")).rejects.toThrow("ECONNRESET");
    expect(await talk(open.port, "x")).toBe("a:x.");
  });

  test("fails if the address is in use, which is reported", async () => {
    const taken = await anEcho("x");
    await aForwarder().apply([await aFrontend([await anEcho("a")], { port: taken.port })]);
    expect(problems).toEqual([expect.stringContaining("EADDRINUSE")]);
  });
});

test("datagrams are forwarded to an endpoint, and so are the answers", async () => {
  const backend = createSocket("udp4");
  backend.on("message", (message, from) => backend.send(`a:${message}`, from.port, from.address));
  await new Promise<void>((resolve) => void backend.bind(0, "127.0.0.1", resolve));
  const address = { address: "127.0.0.1", port: backend.address().port };
  const frontend = await aFrontend([address], { protocol: "UDP" });
  await aForwarder().apply([frontend]);
  const client = createSocket("udp4");
  opened.push({ close: () => client.close() }, { close: () => backend.close() });
  const heard = new Promise((resolve) => client.on("message", (answer) => resolve(String(answer))));
  client.send("x", frontend.port, "127.0.0.1");
  expect(await heard).toBe("a:x");
});

describe("a client with session affinity", () => {
  const backends = [1, 2, 3].map((port) => ({ address: "10.0.0.1", port }));
  const chosen = (balancer: Balancer, client: string, nowMs: number) => {
    const [first] = balancer.choose(client, nowMs);
    if (first) balancer.remember(client, first, nowMs);
    return first?.port;
  };

  test("gets the same endpoint until the timeout", () => {
    const balancer = new Balancer({ backends, affinitySeconds: 10 });
    const ports = [0, 9_000, 18_000].map((nowMs) => chosen(balancer, "c", nowMs));
    expect(ports).toEqual([1, 1, 1]);
    expect(chosen(balancer, "c", 40_000)).not.toBe(1);
  });

  test("gets another endpoint when its own is gone", () => {
    const balancer = new Balancer({ backends, affinitySeconds: 10 });
    expect(chosen(balancer, "c", 0)).toBe(1);
    balancer.update({ backends: backends.slice(1), affinitySeconds: 10 });
    expect(chosen(balancer, "c", 1)).not.toBe(1);
  });
});
