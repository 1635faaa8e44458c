import fc from "fast-check";
import { expect, test } from "vitest";
import { formatData, formatPing, formatReset, type SpdyFrame, splitSpdy } from "./frames.ts";

test("the frames do not depend on how the bytes are cut", () => {
  const frame = fc.record({
    stream: fc.integer({ min: 1, max: 0x7fffffff }),
    isLast: fc.boolean(),
    bytes: fc.uint8Array({ maxLength: 40 }),
  });
  const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(frame), cuts, (frames, sizes) => {
      const sent = frames.map(({ stream, bytes, isLast }) => formatData(stream, bytes, isLast));
      let rest: Buffer = Buffer.concat([...sent, formatPing(7), formatReset(5, 3)]);
      const heard: SpdyFrame[] = [];
      let kept: Buffer = Buffer.alloc(0);
      for (let at = 0; rest.length > 0; at++) {
        const size = sizes[at % sizes.length] ?? 1;
        const split = splitSpdy(kept, rest.subarray(0, size));
        heard.push(...split.frames);
        kept = split.rest;
        rest = rest.subarray(size);
      }
      expect(heard).toEqual([
        ...frames.map(({ bytes, ...each }) => ({
          type: "data",
          ...each,
          bytes: Buffer.from(bytes),
        })),
        { type: "ping", id: 7 },
        { type: "reset", stream: 5, status: 3 },
      ]);
    }),
  );
});

test.each([
  ["another version", Buffer.from([0x80, 2, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1]), "SPDY version 2"],
  [
    "a frame that is too short for its type",
    Buffer.from([0x80, 3, 0, 6, 0, 0, 0, 0]),
    "a short SPDY",
  ],
  ["a frame that is too long", Buffer.from([0, 0, 0, 1, 0, 0xff, 0xff, 0xff]), "a SPDY frame of"],
])("%s is rejected", (_, bytes, message) => {
  expect(() => splitSpdy(Buffer.alloc(0), bytes)).toThrow(message);
});
