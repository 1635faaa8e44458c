import type { ServerResponse } from "node:http";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { sinkOf } from "./respond.ts";

const KIB = 1024;

/** A connection whose client takes one piece each time it is told to. */
class SlowResponse extends Writable {
  readonly taken: Buffer[] = [];
  #take: (() => void) | undefined;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#take = () => {
      this.taken.push(chunk);
      done();
    };
  }
  writeHead(): void {}
  flushHeaders(): void {}
  async takeOne(): Promise<void> {
    const take = this.#take;
    this.#take = undefined;
    take?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function aSink() {
  const response = new SlowResponse({ highWaterMark: 16 * KIB });
  const sink = sinkOf(response as unknown as ServerResponse);
  sink.begin("application/json", []);
  return { response, sink };
}

test("a large event is handed over slice by slice, and arrives in order", async () => {
  const { response, sink } = aSink();
  const event = Buffer.from(Array.from({ length: 100 * KIB }, (_, at) => at % 251));
  sink.write(event);
  expect(response.writableLength).toBe(32 * KIB);
  expect(sink.bufferedBytes).toBe(100 * KIB);
  sink.write(Buffer.from("the next"));
  let wasTaken = false;
  sink.onceTaken(() => {
    wasTaken = true;
  });
  for (let each = 0; each < 2; each++) await response.takeOne();
  expect(wasTaken).toBe(false);
  await response.takeOne();
  expect(wasTaken).toBe(true);
  await response.takeOne();
  expect(sink.bufferedBytes).toBe(0);
  expect(
    Buffer.concat(response.taken).equals(Buffer.concat([event, Buffer.from("the next")])),
  ).toBe(true);
});

test("what waits is sent before the end", async () => {
  const { response, sink } = aSink();
  sink.write(Buffer.alloc(80 * KIB));
  sink.end();
  for (let each = 0; each < 3; each++) await response.takeOne();
  expect(Buffer.concat(response.taken)).toHaveLength(80 * KIB);
});

test("small events are handed over as they come", () => {
  const { response, sink } = aSink();
  for (let each = 0; each < 3; each++) sink.write(Buffer.alloc(KIB));
  expect(response.writableLength).toBe(3 * KIB);
});
