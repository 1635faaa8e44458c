/** Pure: the requests a kubectl run with -v=6 made, read from its log. */

export interface LoggedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly status: number;
}

/** Until 1.32 a line of words, since then key="value" pairs. */
const WORDS = /\] ([A-Z]+) https?:\/\/[^/]+(\S+) (\d{3}) [^"\n]*in \d+ milliseconds/g;
const PAIRS = /"Response" verb="([A-Z]+)" url="https?:\/\/[^/]+([^"]+)" status="(\d{3}) /g;

export function requestsOf(log: string): LoggedRequest[] {
  return [...log.matchAll(WORDS), ...log.matchAll(PAIRS)].map(([, method, target, status]) => ({
    method: method ?? "",
    target: target ?? "",
    status: Number(status),
  }));
}

/** What kubectl asks to learn of the server, and whether the namespace of the flag is there. */
const ASIDE = [/^\/(api|apis|openapi\/v3[^?]*|version)(\?|$)/, /^\/api\/v1\/namespaces\/[^/?]+$/];

/** As one line each, without those on the side. */
export function resourceRequests(log: string): string[] {
  return requestsOf(log)
    .filter(({ method, target }) => method !== "GET" || !ASIDE.some((one) => one.test(target)))
    .map(({ method, target, status }) => `${method} ${target} ${status}`);
}
