/**
 * A connection that retries when the server asks for it: an overloaded server answers 429 or 5xx
 * with a Retry-After header, before it has processed the request.
 */
import { type Backoff, backoffMs } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import type { Connection, HttpAnswer } from "./http-connection.ts";
import { wholeText } from "./http-connection.ts";
import type { HttpRequest } from "./http-requests.ts";
import { Pauses } from "./pauses.ts";

/** As many retries as Kubernetes' own clients. */
const MAX_RETRIES = 10;
const TOO_MANY_REQUESTS = 429;
/** The delays if the server does not say how long to wait. */
const UNSAID: Backoff = { firstMs: 1_000, maxMs: 30_000 };

export function patient(connection: Connection, clock: Clock): Connection {
  const pauses = new Pauses(clock);
  const send = async (request: HttpRequest): Promise<HttpAnswer> => {
    for (let tries = 1; ; tries++) {
      const answer = await sendPastClosing(connection, request);
      const delayMs = tries > MAX_RETRIES ? undefined : retryDelayMs(answer, tries);
      if (delayMs === undefined) return answer;
      // Read the body to its end, so that the connection can be reused.
      await wholeText(answer);
      await pauses.wait(delayMs);
    }
  };
  return {
    send,
    stream: connection.stream,
    close: () => {
      pauses.close();
      connection.close();
    },
  };
}

function retryDelayMs({ status, retryAfterMs }: HttpAnswer, tries: number): number | undefined {
  if (status === TOO_MANY_REQUESTS) return retryAfterMs ?? backoffMs(UNSAID, tries);
  return status >= 500 ? retryAfterMs : undefined;
}

/**
 * A server may close a kept-alive connection in the moment it is reused. A GET is then sent again.
 */
async function sendPastClosing(connection: Connection, request: HttpRequest): Promise<HttpAnswer> {
  try {
    return await connection.send(request);
  } catch (error) {
    if (request.method !== "GET" || !isReset(error)) throw error;
    return connection.send(request);
  }
}

function isReset(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNRESET";
}
