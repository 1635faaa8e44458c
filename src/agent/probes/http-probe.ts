/**
 * The GET request of a probe: an answer from 200 to 399 is a success. Certificates are not looked
 * at; redirections are followed on the same host, elsewhere they are a success with a warning.
 */
import { type ClientRequest, get as getPlain, type IncomingMessage } from "node:http";
import { get as getSecure } from "node:https";
import { type HttpHook, hookHeaders, hookUrl } from "../hooks/http-hook.ts";
import { connectionProblem } from "./go-words.ts";
import type { ProbeResult } from "./results.ts";

const MAX_REDIRECTS = 10;
/** Of what was answered, for a warning. */
const LONGEST_BODY_BYTES = 10 * 1024;

export interface ProbeWarning extends ProbeResult {
  readonly isWarning?: boolean;
}

export async function probeHttp(hook: HttpHook, signal: AbortSignal): Promise<ProbeWarning> {
  const url = hookUrl(hook);
  const headers = hookHeaders(hook.httpGet, "kube-probe");
  let next = url;
  for (let redirects = 0; ; redirects++) {
    if (redirects > MAX_REDIRECTS) return failure(url, `stopped after ${MAX_REDIRECTS} redirects`);
    let answer: Awaited<ReturnType<typeof ask>>;
    try {
      answer = await ask(next, headers, signal);
    } catch (error) {
      const isLate = signal.aborted;
      return failure(url, isLate ? LATE : connectionProblem(error, addressOf(next)));
    }
    const { status, location, body } = answer;
    const target = location === undefined ? undefined : new URL(location, next);
    if (status < 300 || status >= 400) return judge(status, body);
    if (target === undefined || target.hostname !== url.hostname) {
      const output = `Probe terminated redirects, Response body: ${body}`;
      return { isSuccess: true, isWarning: true, output };
    }
    next = target;
  }
}

const LATE = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";

function judge(status: number, body: string): ProbeWarning {
  if (status >= 200 && status < 300) return { isSuccess: true, output: body };
  return { isSuccess: false, output: `HTTP probe failed with statuscode: ${status}` };
}

function failure(url: URL, problem: string): ProbeWarning {
  return { isSuccess: false, output: `Get "${url.href}": ${problem}` };
}

function addressOf({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

interface HttpAnswer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
}

function ask(
  url: URL,
  headers: ReturnType<typeof hookHeaders>,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage): void => {
      const { statusCode: status = 0 } = answer;
      const { location } = answer.headers;
      let body = "";
      const settle = (): void => resolve({ status, location, body });
      answer.setEncoding("utf8").on("data", (text: string) => {
        body += text;
        if (body.length < LONGEST_BODY_BYTES) return;
        body = body.slice(0, LONGEST_BODY_BYTES);
        settle();
        answer.destroy();
      });
      answer.once("end", settle);
      answer.once("error", reject);
    };
    // Each has a connection of its own: one that is kept would say nothing of whether it listens.
    const options = { headers: { ...headers, connection: "close" }, signal, agent: false as const };
    const request: ClientRequest =
      url.protocol === "https:"
        ? getSecure(url, { ...options, rejectUnauthorized: false }, onAnswer)
        : getPlain(url, options, onAnswer);
    request.on("error", reject);
  });
}
