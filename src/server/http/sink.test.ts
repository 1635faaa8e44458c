import type { ServerResponse } from "node:http";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { sinkOf } from "./sink.ts";
import { Unread } from "./unread.ts";

const KIB = 1024;

/** A connection whose client reads one piece per call of takeOne(). */
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
  const unread = new Unread();
  const options = { contain: <T>(step: T) => step, unread, user: "alice" };
  const sink = sinkOf(response as unknown as ServerResponse, options);
  sink.begin("application/json", []);
  return { response, sink, unread };
}

test("a large event is written in slices, in order", async () => {
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
  for (let each = 0; each < 2; each++) await response.takeOne();
  expect(sink.bufferedBytes).toBe(0);
  expect(
    Buffer.concat(response.taken).equals(Buffer.concat([event, Buffer.from("the next")])),
  ).toBe(true);
});

test("pending bytes are sent before the end", async () => {
  const { response, sink } = aSink();
  sink.write(Buffer.alloc(80 * KIB));
  sink.end();
  for (let each = 0; each < 3; each++) await response.takeOne();
  expect(Buffer.concat(response.taken)).toHaveLength(80 * KIB);
});

test("small events are written at once", () => {
  const { response, sink } = aSink();
  for (let each = 0; each < 3; each++) sink.write(Buffer.alloc(KIB));
  expect(response.writableLength).toBe(3 * KIB);
});

test("pending bytes count as unread until they are sent, and the end follows them", async () => {
  const { response, sink, unread } = aSink();
  sink.write(Buffer.alloc(100 * KIB));
  expect(unread.bytesOf("alice")).toBe(100 * KIB);
  sink.end();
  expect(response.writableLength).toBe(32 * KIB);
  for (let each = 0; each < 4; each++) await response.takeOne();
  expect(unread.bytesOf("alice")).toBe(0);
  expect(response.writableEnded).toBe(true);
});

test("the last slice of an event does not keep the event in memory", async () => {
  const { response, sink } = aSink();
  const event = Buffer.alloc(100 * KIB, 7);
  sink.write(event);
  for (let each = 0; each < 4; each++) await response.takeOne();
  expect(response.taken.map(({ buffer }) => buffer === event.buffer)).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(Buffer.concat(response.taken).equals(event)).toBe(true);
});
