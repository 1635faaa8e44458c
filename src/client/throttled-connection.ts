/** A connection with a request rate limit. Watches are not limited: they are few and long-lived. */
import type { Clock } from "../base/clock.ts";
import type { Connection } from "./http-connection.ts";
import { Pauses } from "./pauses.ts";
import { fullBucket, type RateLimit, takeTurn } from "./rate-limit.ts";

export function throttled(connection: Connection, limit: RateLimit, clock: Clock): Connection {
  let bucket = fullBucket(limit, clock.monotonicMs());
  const pauses = new Pauses(clock);
  return {
    send: async (request) => {
      const turn = takeTurn(limit, bucket, clock.monotonicMs());
      bucket = turn.bucket;
      if (turn.delayMs > 0) await pauses.wait(turn.delayMs);
      return connection.send(request);
    },
    stream: connection.stream,
    close: () => {
      pauses.close();
      connection.close();
    },
  };
}
