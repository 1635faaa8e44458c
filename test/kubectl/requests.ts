/** Pure: extracts the requests that kubectl made from its log with -v=6. */

export interface LoggedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly status: number;
}

/** Up to 1.32 the log has lines of words, since then key="value" pairs. */
const WORDS = /\] ([A-Z]+) https?:\/\/[^/]+(\S+) (\d{3}) [^"\n]*in \d+ milliseconds/g;
const PAIRS = /"Response" verb="([A-Z]+)" url="https?:\/\/[^/]+([^"]+)" status="(\d{3}) /g;

export function requestsOf(log: string): LoggedRequest[] {
  return [...log.matchAll(WORDS), ...log.matchAll(PAIRS)].map(([, method, target, status]) => ({
    method: method ?? "",
    target: target ?? "",
    status: Number(status),
  }));
}

/** Requests for discovery, and the check whether the namespace of the flag exists. */
const ASIDE = [/^\/(api|apis|openapi\/v3[^?]*|version)(\?|$)/, /^\/api\/v1\/namespaces\/[^/?]+$/];

/** The other requests, one line each. */
export function resourceRequests(log: string): string[] {
  return requestsOf(log)
    .filter(({ method, target }) => method !== "GET" || !ASIDE.some((one) => one.test(target)))
    .map(({ method, target, status }) => `${method} ${target} ${status}`);
}
