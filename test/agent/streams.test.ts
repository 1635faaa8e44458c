/** Streams for clients other than kubectl: the Kubernetes library for Node, older protocols. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { Exec, KubeConfig } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { poll } from "../support/poll.ts";
import { Cluster, script } from "./cluster.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
  await cluster.createPod("p", { containers: [script("sleep 1000")] });
  await cluster.podThat("p", ({ status }) => status.phase === "Running");
});
afterAll(() => cluster.dispose());

const PODS = "/api/v1/namespaces/default/pods";

function open(path: string, protocols: string | readonly string[], headers = {}): WebSocket {
  const { url, token, ca } = cluster.tally;
  const whole = `${url.replace("https", "wss")}${PODS}/${path}`;
  const authorization = { Authorization: `Bearer ${token}` };
  return new WebSocket(whole, [...[protocols].flat()], {
    ca,
    headers: { ...authorization, ...headers },
  });
}

interface Heard {
  readonly protocol: string;
  readonly messages: readonly Buffer[];
  readonly code: number;
}

function hear(socket: WebSocket): Promise<Heard> {
  const messages: Buffer[] = [];
  socket.on("message", (message: Buffer) => messages.push(message));
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", (code) => resolve({ protocol: socket.protocol, messages, code }));
  });
}

test("the Kubernetes library for Node executes a command", async () => {
  const config = new KubeConfig();
  config.loadFromFile(cluster.tally.kubeconfig);
  const [stdout, stdin] = [new PassThrough(), new PassThrough()];
  let said = "";
  stdout.on("data", (bytes) => {
    said += bytes;
  });
  stdin.write("there\n");
  const status = await new Promise((resolve, reject) => {
    const command = ["sh", "-c", 'read x; echo "hello $x"; exit 4'];
    new Exec(config)
      .exec("default", "p", "c", command, stdout, null, stdin, false, resolve)
      .catch(reject);
  });
  expect(said).toBe("hello there\n");
  expect(status).toMatchObject({ status: "Failure", reason: "NonZeroExitCode" });
});

test.each([
  ["v4.base64.channel.k8s.io", ["1", "1aGkK", '3{"metadata":{},"status":"Success"}']],
  ["base64.channel.k8s.io", ["1", "1aGkK"]],
])("%s transfers text", async (protocol, expected) => {
  const heard = await hear(open("p/exec?command=echo&command=hi&stdout=true", protocol));
  expect(heard).toMatchObject({ protocol, code: 1000 });
  const decoded = heard.messages.map(String).map((text) => {
    return text.startsWith("3") ? `3${Buffer.from(text.slice(1), "base64")}` : text;
  });
  expect(decoded).toEqual(expected);
});

test("a client that names no protocol gets the oldest one", async () => {
  const { url, token, ca } = cluster.tally;
  const path = `${url.replace("https", "wss")}${PODS}/p/exec?command=echo&command=hi&stdout=true`;
  const headers = { Authorization: `Bearer ${token}` };
  const heard = await hear(new WebSocket(path, { ca, headers }));
  expect(heard.messages.map(String)).toEqual(["\u0001", "\u0001hi\n"]);
});

test("ports are forwarded over the older protocol, each starting with its number", async () => {
  const server = createServer((_request, response) => response.end("served")).listen(
    0,
    "127.0.0.1",
  );
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const socket = open(`p/portforward?ports=${port}`, "v4.channel.k8s.io");
  const closed = hear(socket);
  await new Promise((resolve) => socket.once("open", resolve));
  const request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  socket.send(Buffer.concat([Buffer.from([0]), Buffer.from(request)]));
  const { messages } = await closed;
  server.close();
  const number = Buffer.alloc(2);
  number.writeUInt16LE(port);
  expect(messages.slice(0, 2)).toEqual([
    Buffer.concat([Buffer.from([0]), number]),
    Buffer.concat([Buffer.from([1]), number]),
  ]);
  expect(Buffer.concat(messages.slice(2)).toString()).toContain("served");
});

test("a web page can pass its token as a protocol", async () => {
  const { url, token, ca } = cluster.tally;
  const encoded = Buffer.from(token).toString("base64url");
  const bearer = `base64url.bearer.authorization.k8s.io.${encoded}`;
  const path = `${url.replace("https", "wss")}${PODS}/p/exec?command=true&stdout=true`;
  const heard = await hear(new WebSocket(path, [bearer, "v4.channel.k8s.io"], { ca }));
  expect(heard).toMatchObject({ protocol: "v4.channel.k8s.io", code: 1000 });
});

test.each([
  ["another origin", "p/exec?command=true&stdout=true", { Origin: "http://evil.test" }, 403],
  ["a wrong token", "p/exec?command=true&stdout=true", { Authorization: "Bearer x" }, 401],
  ["no such pod", "q/exec?command=true&stdout=true", {}, 404],
  ["no such container", "p/exec?command=true&stdout=true&container=x", {}, 400],
  ["nothing to stream", "p/exec?command=true", {}, 400],
  ["no port", "p/portforward", {}, 400],
])("%s is rejected before a stream is opened", async (_what, path, headers, status) => {
  const socket = open(path, "v4.channel.k8s.io", headers);
  await expect(hear(socket)).rejects.toThrow(`${status}`);
});

test("an exec request without an upgrade gets 400", async () => {
  const answer = await cluster.tally.call("POST", `${PODS}/p/exec?command=true&stdout=true`);
  expect(answer).toMatchObject({ status: 400, json: { message: "Upgrade request required" } });
});

test("an upgrade offer on an ordinary request is ignored", async () => {
  const headers = { Connection: "Upgrade", Upgrade: "h2c" };
  const answer = await cluster.tally.call("GET", `${PODS}/p`, undefined, headers);
  expect(answer).toMatchObject({ status: 200, json: { metadata: { name: "p" } } });
});

test("a process is ended when its client disconnects", async () => {
  const command = "p/exec?command=sh&command=-c&command=echo+$$;sleep+1000&stdout=true";
  const socket = open(command, "v4.channel.k8s.io");
  const pid = await new Promise<number>((resolve) => {
    socket.on("message", (bytes: Buffer) => {
      if (bytes.length > 1) resolve(Number(bytes.subarray(1).toString()));
    });
  });
  socket.terminate();
  await poll(() => isAlive(pid)).toBe(false);
});

test("an executed process ends with its container", async () => {
  await cluster.createPod("short", { containers: [script("sleep 1000")] });
  await cluster.podThat("short", ({ status }) => status.phase === "Running");
  const socket = open("short/exec?command=sleep&command=1000&stdout=true", "v4.channel.k8s.io");
  const heard = hear(socket);
  await new Promise((resolve) => socket.once("message", resolve));
  await cluster.deletePod("short", 0);
  const last = String((await heard).messages.at(-1)?.subarray(1));
  expect(JSON.parse(last)).toMatchObject({
    details: { causes: [{ reason: "ExitCode", message: expect.stringMatching(/^1(37|43)$/) }] },
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
