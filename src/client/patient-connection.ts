/**
 * A connection that comes back when the server asks for it: a server with too much to do answers
 * 429 or 5xx with the time to wait, before it has done anything.
 */
import { type Backoff, backoffMs } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import type { Connection, HttpAnswer } from "./http-connection.ts";
import { wholeText } from "./http-connection.ts";
import type { HttpRequest } from "./http-requests.ts";
import { Pauses } from "./pauses.ts";

/** As often as Kubernetes' own clients. */
const MAX_RETRIES = 10;
const TOO_MANY_REQUESTS = 429;
/** Where the server does not say how long. */
const UNSAID: Backoff = { firstMs: 1_000, maxMs: 30_000 };

export function patient(connection: Connection, clock: Clock): Connection {
  const pauses = new Pauses(clock);
  const send = async (request: HttpRequest): Promise<HttpAnswer> => {
    for (let tries = 1; ; tries++) {
      const answer = await sendPastClosing(connection, request);
      const delayMs = tries > MAX_RETRIES ? undefined : retryDelayMs(answer, tries);
      if (delayMs === undefined) return answer;
      // Read to its end, so that its connection can be used again.
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

/** A kept connection may be closed by the server in the moment it is used again. */
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
