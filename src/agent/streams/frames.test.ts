import fc from "fast-check";
import { expect, test } from "vitest";
import { type Frame, formatFrame, splitFrames } from "./frames.ts";

test("frames arrive whole, however they are cut", () => {
  const frame = fc.record({ kind: fc.integer({ min: 0, max: 3 }), bytes: fc.uint8Array() });
  fc.assert(
    fc.property(fc.array(frame), fc.integer({ min: 1, max: 20 }), (frames, size) => {
      let rest: Buffer = Buffer.concat(frames.map(({ kind, bytes }) => formatFrame(kind, bytes)));
      const heard: Frame[] = [];
      let kept: Buffer = Buffer.alloc(0);
      while (rest.length > 0) {
        const split = splitFrames(kept, rest.subarray(0, size));
        heard.push(...split.frames);
        kept = split.rest;
        rest = rest.subarray(size);
      }
      expect(heard).toEqual(frames.map(({ kind, bytes }) => ({ kind, bytes: Buffer.from(bytes) })));
    }),
  );
});

test("what cannot be a frame is refused before it is gathered", () => {
  const head = Buffer.from([1, 0xff, 0, 0, 0]);
  expect(() => splitFrames(Buffer.alloc(0), head)).toThrow("a frame of");
});
