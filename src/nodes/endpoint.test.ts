import { PassThrough, type Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { storedPod } from "../../test/builders/pod.ts";
import { issueAuthority, issueServer } from "../access/x509.ts";
import { badRequest } from "../api/errors.ts";
import type { Node, Pod } from "../api/generated/core.ts";
import type { LogRequest } from "../api/log-source.ts";
import type { CommandEnd, CommandStream, StreamSource } from "../api/stream-source.ts";
import { silentLog } from "../base/log.ts";
import { type Endpoint, openEndpoint } from "./endpoint.ts";
import { nodeSources } from "./node-sources.ts";
import { NODE_AUTHORITY, type RemoteNode, type ServerIdentity } from "./remote-node.ts";

const validity = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 3_600_000) };
const cluster = issueAuthority("cluster", validity);
const nodeAuthority = issueAuthority("node", validity);

function identityOf(commonName: string, authority = cluster, issuer = "cluster"): ServerIdentity {
  const names = ["127.0.0.1"];
  return issueServer({ commonName: issuer, key: authority.key }, { commonName, names, validity });
}

const POD = storedPod({ metadata: { name: "p", uid: "u" }, spec: { nodeName: "n" } });
let asked: LogRequest[];
let command: FakeCommand;
let endpoint: Endpoint;

beforeEach(async () => {
  asked = [];
  command = new FakeCommand();
  endpoint = await openEndpoint({
    address: "127.0.0.1",
    port: 0,
    tls: identityOf("node", nodeAuthority, "node"),
    clientAuthority: cluster.cert,
    logs: {
      open: async (_pod, request) => {
        asked.push(request);
        if (request.previous) throw badRequest("there is no previous run");
        return lines();
      },
    },
    streams: command,
    findPod: async ({ uid }) => (uid === "u" ? POD : undefined),
    log: silentLog,
  });
});

afterEach(() => endpoint.close());

async function* lines(): AsyncIterable<Uint8Array> {
  yield Buffer.from("one\n");
  yield Buffer.from("two\n");
}

/** Echoes its input to stdout, and in capitals to stderr, and exits with code 3. */
class FakeCommand implements StreamSource {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly sizes: object[] = [];
  isClosed = false;
  command: readonly string[] = [];
  end: (how: CommandEnd) => void = () => {};

  async exec(_pod: Pod, request: { readonly command: readonly string[] }): Promise<CommandStream> {
    this.command = request.command;
    this.stdin.on("data", (piece) => this.stdout.write(piece));
    this.stdin.on("data", (piece) => this.stderr.write(String(piece).toUpperCase()));
    this.stdin.on("end", () => {
      this.stdout.end();
      this.stderr.end();
      this.end({ exitCode: 3 });
    });
    const ended = new Promise<CommandEnd>((resolve) => {
      this.end = resolve;
    });
    const { stdin, stdout, stderr } = this;
    const resize = (size: object) => void this.sizes.push(size);
    return { stdin, stdout, stderr, ended, resize, close: () => this.close() };
  }

  attach(): Promise<CommandStream> {
    return Promise.reject(new Error("nothing to attach to"));
  }

  async connect(_pod: Pod, port: number): Promise<PassThrough> {
    if (port !== 80) throw new Error(`nobody listens on ${port}`);
    return new PassThrough();
  }

  private close(): void {
    this.isClosed = true;
  }
}

function nodeAt(port: number): Node {
  return {
    metadata: { name: "n", annotations: { [NODE_AUTHORITY]: nodeAuthority.cert } },
    spec: {},
    status: {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    },
  } as unknown as Node;
}

function asServer(identity = identityOf("tally")): RemoteNode {
  return nodeSources({ own: () => undefined, findNode: () => nodeAt(endpoint.port), identity });
}

const REQUEST = { container: "c", follow: true, previous: false, timestamps: true, tailLines: 5 };
const signal = new AbortController().signal;

async function all(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  return text(bytes as unknown as Readable);
}

describe("the server reads logs from a remote node", () => {
  test("with all options of the request", async () => {
    const sinceMs = Date.parse("2026-01-02T03:04:05Z");
    const bytes = await asServer().logs.open(POD, { ...REQUEST, sinceMs }, signal);
    expect(await all(bytes)).toBe("one\ntwo\n");
    expect(asked).toEqual([{ ...REQUEST, sinceMs }]);
  });

  test("and passes on the error of the node", async () => {
    const reading = asServer().logs.open(POD, { ...REQUEST, previous: true }, signal);
    await expect(reading).rejects.toMatchObject({ code: 400, reason: "BadRequest" });
  });

  test("and gets 404 if the pod is missing or has another UID", async () => {
    const other = storedPod({ metadata: { name: "p", uid: "v" }, spec: { nodeName: "n" } });
    await expect(asServer().logs.open(other, REQUEST, signal)).rejects.toMatchObject({ code: 404 });
  });
});

describe("the server opens streams on a remote node", () => {
  const exec = { container: "c", stdin: true, stdout: true, stderr: true, tty: false };

  test("a command with its input, output and exit code", async () => {
    const run = await asServer().streams.exec(POD, { ...exec, command: ["sh", "-c", "a b"] });
    run.resize({ width: 80, height: 24 });
    run.stdin?.end("hello");
    const heard = [text(run.stdout as Readable), text(run.stderr as Readable), run.ended];
    expect(await Promise.all(heard)).toEqual(["hello", "HELLO", { exitCode: 3 }]);
    expect(command.command).toEqual(["sh", "-c", "a b"]);
    expect(command.sizes).toEqual([{ width: 80, height: 24 }]);
  });

  test("a megabyte is transferred with back-pressure", async () => {
    const run = await asServer().streams.exec(POD, { ...exec, stderr: false, command: ["cat"] });
    const sent = "x".repeat(1024 * 1024);
    run.stdin?.end(sent);
    expect(await text(run.stdout as Readable)).toBe(sent);
  });

  test("errors of the node are passed on", async () => {
    await expect(asServer().streams.attach(POD, exec)).rejects.toThrow("nothing to attach to");
    await expect(asServer().streams.connect(POD, 81)).rejects.toThrow("nobody listens on 81");
  });

  test("a connection to a port", async () => {
    const connection = await asServer().streams.connect(POD, 80);
    connection.end("ping");
    expect(await text(connection)).toBe("ping");
  });
});

describe("other identities", () => {
  test.each([
    ["a user of the same cluster", identityOf("alice")],
    ["a server of another cluster", identityOf("tally", nodeAuthority, "node")],
  ])("are rejected by the node: %s", async (_who, identity) => {
    await expect(asServer(identity).logs.open(POD, REQUEST, signal)).rejects.toThrow();
    expect(asked).toEqual([]);
  });

  test("are rejected by the server: a node of another authority", async () => {
    const impostor = nodeAt(endpoint.port);
    const annotations = { [NODE_AUTHORITY]: issueAuthority("node", validity).cert };
    const node = { ...impostor, metadata: { ...impostor.metadata, annotations } };
    const identity = identityOf("tally");
    const server = nodeSources({ own: () => undefined, findNode: () => node, identity });
    await expect(server.logs.open(POD, REQUEST, signal)).rejects.toMatchObject({ code: 503 });
  });
});

test("logs are not available from a node that does not report its address", async () => {
  const sources = nodeSources({ own: () => undefined, findNode: () => nodeAt(0) });
  await expect(sources.logs.open(POD, REQUEST, signal)).rejects.toThrow(
    'log of pod "p" is not available: no agent of node "n" is connected',
  );
});
