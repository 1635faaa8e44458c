/**
 * The Docker Engine API over its socket, as Docker and Podman serve it: requests with one answer,
 * answers that go on, and connections that become streams.
 */
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** What the engine did not do, in its own words. */
export class EngineError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = "EngineError";
  }
}

export interface EngineRequest {
  readonly method: "GET" | "POST" | "DELETE" | "PUT" | "HEAD";
  /** With its query; the version is put in front. */
  readonly path: string;
  readonly body?: object | Buffer;
  readonly headers?: { readonly [name: string]: string };
  readonly signal?: AbortSignal;
}

/** An engine is one program: what it cannot do at once it queues, and so do we. */
const MOST_CONNECTIONS = 32;

export class EngineApi {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: MOST_CONNECTIONS });
  /** Answers that go on would else take the connections of all others. */
  private readonly streams = new Agent({ keepAlive: false });

  constructor(
    readonly socketPath: string,
    /** "1.40"; absent: the one that the engine is at home in. */
    private readonly version?: string,
  ) {}

  /** The answer's JSON; an empty one is undefined. */
  async ask<T>(request: EngineRequest): Promise<T> {
    const answer = await this.send(request, this.agent);
    const text = (await readAll(answer)).toString("utf8");
    refuseFailure(answer, text);
    return (text === "" ? undefined : parse(text)) as T;
  }

  /** The same, where something not being there is an answer like any other. */
  async askIfThere<T>(request: EngineRequest): Promise<T | undefined> {
    try {
      return await this.ask<T>(request);
    } catch (error) {
      if (error instanceof EngineError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** An answer that is read as it comes. */
  async follow(request: EngineRequest): Promise<IncomingMessage> {
    const answer = await this.send(request, this.streams);
    if (isFailure(answer)) refuseFailure(answer, (await readAll(answer)).toString("utf8"));
    return answer;
  }

  /** A connection that belongs to a stream from here on. */
  hijack(request: EngineRequest): Promise<{ readonly socket: Socket; readonly head: Buffer }> {
    return new Promise((resolve, reject) => {
      const upgrade = { Connection: "Upgrade", Upgrade: "tcp" };
      const sent = this.open({ ...request, headers: { ...request.headers, ...upgrade } });
      sent.on("upgrade", (_answer, socket, head) => resolve({ socket: socket as Socket, head }));
      sent.on("response", (answer: IncomingMessage) => {
        readAll(answer).then((bytes) => reject(failureOf(answer, bytes.toString("utf8"))), reject);
      });
      sent.on("error", reject);
      sent.end(bodyOf(request));
    });
  }

  close(): void {
    this.agent.destroy();
    this.streams.destroy();
  }

  private send(request: EngineRequest, agent: Agent): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = this.open(request, agent);
      sent.on("response", resolve);
      sent.on("error", reject);
      sent.end(bodyOf(request));
    });
  }

  private open({ method, path, body, headers, signal }: EngineRequest, agent?: Agent) {
    const type = Buffer.isBuffer(body) ? "application/x-tar" : "application/json";
    return httpRequest({
      socketPath: this.socketPath,
      method,
      path: this.version === undefined ? path : `/v${this.version}${path}`,
      headers: {
        // A name that is no machine's: the socket is the address.
        Host: "engine",
        ...(body === undefined ? { "Content-Length": "0" } : { "Content-Type": type }),
        ...headers,
      },
      ...(agent === undefined ? { agent: false } : { agent }),
      ...(signal === undefined ? {} : { signal }),
    });
  }
}

function bodyOf({ body }: EngineRequest): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(JSON.stringify(body));
}

async function readAll(answer: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function isFailure({ statusCode = 500 }: IncomingMessage): boolean {
  return statusCode >= 400;
}

function refuseFailure(answer: IncomingMessage, text: string): void {
  if (isFailure(answer)) throw failureOf(answer, text);
}

function failureOf({ statusCode = 500 }: IncomingMessage, text: string): EngineError {
  const said = parse(text);
  const { message, cause } = (typeof said === "object" && said !== null ? said : {}) as {
    message?: unknown;
    cause?: unknown;
  };
  const words = typeof message === "string" ? message : typeof cause === "string" ? cause : text;
  return new EngineError(statusCode, words.trim() || `the engine answered ${statusCode}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
