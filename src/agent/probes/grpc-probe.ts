/**
 * Asks grpc.health.v1.Health/Check. One message each way is little enough to be written by hand: a
 * request has the name of the service in field 1, an answer its state in field 1.
 */
import { connect, constants } from "node:http2";
import { KUBERNETES_VERSION } from "../../api/kubernetes-version.ts";
import { formatSeconds } from "./go-words.ts";
import type { ProbeResult } from "./results.ts";

export interface GrpcProbe {
  readonly host: string;
  readonly port: number;
  readonly service: string;
  readonly timeoutMs: number;
}

const STATES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"] as const;
const SERVING = 1;
const OK = "0";
const UNIMPLEMENTED = "12";
const DEADLINE_EXCEEDED = "4";
const AGENT = `kube-probe/${/\d+\.\d+/.exec(KUBERNETES_VERSION)?.[0]}`;

export async function probeGrpc(probe: GrpcProbe, signal: AbortSignal): Promise<ProbeResult> {
  const { host, port, timeoutMs } = probe;
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const within = formatSeconds(timeoutMs);
  const answer = await ask(`http://${address}`, probe, signal);
  if (answer.kind === "unreached") {
    const problem = "context deadline exceeded";
    const output = `timeout: failed to connect service "${address}" within ${within}: ${problem}`;
    return { isSuccess: false, output };
  }
  if (answer.kind === "late" || answer.status === DEADLINE_EXCEEDED) {
    const output = `timeout: health rpc did not complete within ${within}`;
    return { isSuccess: false, output };
  }
  const { status, message } = answer;
  if (status === UNIMPLEMENTED) {
    const what = "this server does not implement the grpc health protocol";
    return { isSuccess: false, output: `error: ${what} (grpc.health.v1.Health): ${message}` };
  }
  if (status !== OK)
    return { isSuccess: false, output: `error: health rpc probe failed: ${message}` };
  const { state } = answer;
  if (state === SERVING) return { isSuccess: true, output: "service healthy" };
  const said = STATES[state] ?? String(state);
  return { isSuccess: false, output: `service unhealthy (responded with "${said}")` };
}

type GrpcAnswer =
  | { readonly kind: "unreached" }
  | { readonly kind: "late" }
  | {
      readonly kind: "answered";
      readonly status: string;
      readonly message: string;
      readonly state: number;
    };

function ask(url: string, { service }: GrpcProbe, signal: AbortSignal): Promise<GrpcAnswer> {
  return new Promise((resolve) => {
    const connection = connect(url);
    let isConnected = false;
    const settle = (answer: GrpcAnswer): void => {
      connection.destroy();
      resolve(answer);
    };
    const isOver = () => settle({ kind: isConnected ? "late" : "unreached" });
    signal.addEventListener("abort", isOver, { once: true });
    connection.once("connect", () => {
      isConnected = true;
    });
    connection.on("error", isOver);
    const request = connection.request({
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers",
      "user-agent": AGENT,
    });
    let status: string | undefined;
    let message = "";
    let body: Buffer = Buffer.alloc(0);
    const look = (headers: { readonly [name: string]: string | string[] | undefined }): void => {
      status = String(headers["grpc-status"] ?? status ?? "");
      message = String(headers["grpc-message"] ?? message);
    };
    request.on("response", look);
    request.on("trailers", look);
    request.on("data", (piece: Buffer) => {
      body = Buffer.concat([body, piece]);
    });
    request.on("error", isOver);
    request.on("end", () => {
      settle({ kind: "answered", status: status ?? "", message, state: stateIn(body) });
    });
    request.end(requestFor(service));
  });
}

/** Behind a byte that says it is not compressed, and four for its length. */
function requestFor(service: string): Buffer {
  const name = Buffer.from(service);
  const message =
    name.length === 0 ? name : Buffer.concat([varint(0x0a), varint(name.length), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

function stateIn(body: Buffer): number {
  return body.length >= 7 && body[5] === 0x08 ? (body[6] ?? 0) : 0;
}
