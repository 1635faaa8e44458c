/**
 * The target of the attacks: a server, an account with few rights, and a bystander who only reads.
 * All objects that attacks need are created before, so that attacks are data.
 */
import { readFileSync } from "node:fs";
import { type IncomingMessage, request as overPlain } from "node:http";
import { Agent, request as overTls } from "node:https";
import path from "node:path";
import { type Answer, startTally, type Tally } from "../support/tally.ts";

export interface Target {
  readonly tally: Tally;
  /** The port for programs of the machine, which needs no token. */
  readonly insecurePort: number;
  /** The token of an account that may only use ConfigMaps and pods of the namespace "own". */
  readonly mallory: string;
  readonly auditFile: string;
}

export interface Asked {
  readonly method?: string;
  /** Sent unchanged: the path is not normalized. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string | readonly string[] };
  /** Default: the administrator, whom only the server's own limits can stop. */
  readonly as?: "mallory" | "nobody";
  readonly port?: "insecure";
}

export async function openTarget(auditFile: string): Promise<Target> {
  const quiet = ["--no-agent", "--controllers=none", "--insecure-port", "0"];
  const tally = await startTally({ args: [...quiet, "--audit-log", auditFile] });
  const insecurePort = Number(/"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(tally.log())?.[1]);
  await furnish(tally);
  const mallory = await tokenOf(tally, "mallory");
  return { tally, insecurePort, mallory, auditFile };
}

export async function tokenOf(tally: Tally, account: string, spec: object = {}): Promise<string> {
  const where = `/api/v1/namespaces/own/serviceaccounts/${account}/token`;
  const { status, json, text } = await tally.call("POST", where, { spec });
  if (status !== 201) throw new Error(text);
  return json.status.token;
}

async function furnish(tally: Tally): Promise<void> {
  const own = "/api/v1/namespaces/own";
  const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/own";
  const rules = [{ apiGroups: [""], resources: ["configmaps", "pods"], verbs: ["*"] }];
  const subjects = [{ kind: "ServiceAccount", name: "mallory", namespace: "own" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "few" };
  const secret = { metadata: { name: "victim" }, stringData: { password: "swordfish" } };
  const made: readonly [string, object][] = [
    ["/api/v1/namespaces", { metadata: { name: "own" } }],
    ["/api/v1/namespaces/default/secrets", secret],
    ["/api/v1/namespaces/default/configmaps", { metadata: { name: "victim" }, data: { a: "b" } }],
    ["/api/v1/namespaces/default/pods", pod("victim")],
    [`${own}/pods`, pod("own")],
    [`${own}/configmaps`, { metadata: { name: "own" }, data: { a: "b" } }],
    [`${own}/serviceaccounts`, { metadata: { name: "mallory" } }],
    [`${own}/serviceaccounts`, { metadata: { name: "deleted" } }],
    [`${roles}/roles`, { metadata: { name: "few" }, rules }],
    [`${roles}/rolebindings`, { metadata: { name: "few" }, subjects, roleRef }],
  ];
  for (const [where, object] of made) {
    const { status, text } = await tally.call("POST", where, object);
    if (status !== 201) throw new Error(`${where}: ${text}`);
  }
}

export function pod(name: string): object {
  return { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }] } };
}

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

export function ask(target: Target, asked: Asked): Promise<Answer> {
  const { tally, insecurePort, mallory } = target;
  const { method = "GET", body, as, headers = {} } = asked;
  const isRaw = typeof body === "string" || Buffer.isBuffer(body);
  const payload = body === undefined ? undefined : isRaw ? body : JSON.stringify(body);
  const token = as === "nobody" ? undefined : as === "mallory" ? mallory : tally.token;
  const isPlain = asked.port === "insecure";
  const { hostname, port } = new URL(tally.url);
  const all = {
    ...(token !== undefined && !isPlain && { Authorization: `Bearer ${token}` }),
    ...(payload !== undefined && { "Content-Type": "application/json" }),
    ...headers,
  };
  const options = { host: hostname, method, path: asked.path, headers: all };
  return new Promise((resolve, reject) => {
    const sent = isPlain
      ? overPlain({ ...options, port: insecurePort })
      : overTls({ ...options, port, agent });
    // The server may close an idle connection at the moment it is reused: clients retry then.
    sent.on("error", (error) => {
      if (sent.reusedSocket) ask(target, asked).then(resolve, reject);
      else reject(error);
    });
    sent.on("response", (response) => {
      read(response).then(resolve, reject);
    });
    // An upgrade is allowed only if the user may make the request; the attack checks the status.
    sent.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve(answerOf(response, ""));
    });
    sent.end(payload);
  });
}

async function read(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return answerOf(response, Buffer.concat(chunks).toString("utf8"));
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, text: string): Answer {
  return {
    status: statusCode,
    headers,
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}

/** The CPU time of the server, which does not depend on how busy the machine is. */
export function spentMs({ tally }: Target): number {
  const stat = readFileSync(`/proc/${tally.process.pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const TICK_MS = 10;

/** The peak memory of the server. */
export function highWaterBytes({ tally }: Target): number {
  const status = readFileSync(`/proc/${tally.process.pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

export function signingKeyFile({ tally }: Target): string {
  return path.join(tally.dataDir, "service-accounts.key");
}
