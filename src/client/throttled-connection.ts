/** A connection whose requests keep to a rate. Watches are not counted: they are rare and long. */
import type { Clock, Timer } from "../base/clock.ts";
import type { Connection } from "./http-connection.ts";
import { fullBucket, type RateLimit, takeTurn } from "./rate-limit.ts";

export function throttled(connection: Connection, limit: RateLimit, clock: Clock): Connection {
  let bucket = fullBucket(limit, clock.monotonicMs());
  const waiting = new Map<Timer, (error: Error) => void>();
  const wait = (delayMs: number) =>
    new Promise<void>((resolve, reject) => {
      const timer = clock.schedule(delayMs, () => {
        waiting.delete(timer);
        resolve();
      });
      waiting.set(timer, reject);
    });
  return {
    send: async (request) => {
      const turn = takeTurn(limit, bucket, clock.monotonicMs());
      bucket = turn.bucket;
      if (turn.delayMs > 0) await wait(turn.delayMs);
      return connection.send(request);
    },
    stream: connection.stream,
    close: () => {
      for (const [timer, reject] of waiting) {
        timer.cancel();
        reject(new Error("the client was closed"));
      }
      waiting.clear();
      connection.close();
    },
  };
}
