/**
 * The GET request of a lifecycle hook. Any answer will do, whatever its status; certificates are
 * not looked at; redirections are followed on the same host.
 */
import { type ClientRequest, get as getPlain, type IncomingMessage } from "node:http";
import { get as getSecure } from "node:https";
import type { Container, HTTPGetAction } from "../../api/generated/core.ts";
import { KUBERNETES_VERSION } from "../../api/kubernetes-version.ts";

export interface HttpHook {
  readonly container: Container;
  readonly httpGet: HTTPGetAction;
  /** Who is asked where the hook names no host. */
  readonly podIp: string;
}

/**
 * Rejects when there is no answer. Resolves with "HOST:PORT" where it was asked by HTTPS, speaks
 * HTTP, and was asked again by that; else with nothing.
 */
export async function requestHook(
  hook: HttpHook,
  signal: AbortSignal,
): Promise<string | undefined> {
  const url = hookUrl(hook);
  const headers = hookHeaders(hook.httpGet, "kube-lifecycle");
  try {
    await follow(url, headers, signal);
    return undefined;
  } catch (error) {
    if (url.protocol !== "https:" || !isPlainAnswer(error)) throw error;
    const plain = new URL(url);
    plain.protocol = "http:";
    const { authorization: _secret, ...rest } = headers;
    await follow(plain, rest, signal);
    return `${url.hostname}:${portOf(hook)}`;
  }
}

export function hookUrl(hook: HttpHook): URL {
  const { path = "/", host, scheme = "HTTP" } = hook.httpGet;
  const named = host === undefined || host === "" ? hook.podIp : host;
  const hostname = named.includes(":") ? `[${named}]` : named;
  const slash = path.startsWith("/") ? "" : "/";
  return new URL(`${scheme.toLowerCase()}://${hostname}:${portOf(hook)}${slash}${path}`);
}

function portOf({ container, httpGet: { port } }: HttpHook): number {
  return resolvePort(container, port);
}

/** A number, or the name of one of the container's ports. */
export function resolvePort(container: Container, port: number | string): number {
  if (typeof port === "number") return port;
  const named = container.ports?.find(({ name }) => name === port)?.containerPort;
  const found = named ?? (/^\d+$/.test(port) ? Number(port) : Number.NaN);
  if (found > 0 && found < 65_536) return found;
  throw new Error(`the container has no port ${JSON.stringify(port)}`);
}

type Headers = { readonly [name: string]: string | string[] };

const VERSION = /\d+\.\d+/.exec(KUBERNETES_VERSION)?.[0];

/** Names that repeat are sent each; an Accept or a User-Agent that is empty is none. */
export function hookHeaders({ httpHeaders = [] }: HTTPGetAction, agent: string): Headers {
  const headers: { [name: string]: string | string[] } = {};
  for (const { name, value } of httpHeaders) {
    const known = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = known === undefined ? value : [known, value].flat();
  }
  headers["user-agent"] ??= `${agent}/${VERSION}`;
  headers["accept"] ??= "*/*";
  for (const name of ["user-agent", "accept"]) if (headers[name] === "") delete headers[name];
  return headers;
}

const MAX_REDIRECTS = 10;

async function follow(url: URL, headers: Headers, signal: AbortSignal): Promise<void> {
  let next = url;
  for (let requests = 0; requests < MAX_REDIRECTS; requests++) {
    const location = await ask(next, headers, signal);
    const redirected = location === undefined ? undefined : new URL(location, next);
    if (redirected?.hostname !== url.hostname) return;
    next = redirected;
  }
  throw new Error(`stopped after ${MAX_REDIRECTS} redirects`);
}

/** Where it redirects to, if it does. */
function ask(url: URL, headers: Headers, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage): void => {
      answer.resume();
      const { statusCode = 0 } = answer;
      const isRedirect = statusCode >= 300 && statusCode < 400;
      resolve(isRedirect ? answer.headers.location : undefined);
    };
    const options = { headers, signal, agent: false as const };
    const request: ClientRequest =
      url.protocol === "https:"
        ? getSecure(url, { ...options, rejectUnauthorized: false }, onAnswer)
        : getPlain(url, options, onAnswer);
    request.on("error", reject);
  });
}

function isPlainAnswer(error: unknown): boolean {
  return (
    error instanceof Error && /wrong.version.number|packet.length.too.long/i.test(error.message)
  );
}
