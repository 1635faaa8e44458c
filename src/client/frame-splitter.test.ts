import fc from "fast-check";
import { expect, test } from "vitest";
import { FrameSplitter, LONGEST_FRAME } from "./frame-splitter.ts";

function framed(content: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(content.length);
  return Buffer.concat([head, content]);
}

test("the frames do not depend on how the bytes are cut", () => {
  const contents = fc.array(fc.uint8Array({ maxLength: 20 }));
  fc.assert(
    fc.property(contents, fc.array(fc.nat(7)), (each, cuts) => {
      const all = Buffer.concat(each.map(framed));
      const splitter = new FrameSplitter();
      const seen: number[][] = [];
      let at = 0;
      for (const length of [...cuts, all.length]) {
        for (const frame of splitter.take(all.subarray(at, at + length))) seen.push([...frame]);
        at += length;
      }
      expect(seen).toEqual(each.map((content) => [...content]));
      expect(splitter.isWithinFrame).toBe(false);
    }),
  );
});

test("an incomplete frame is not returned", () => {
  const splitter = new FrameSplitter();
  expect(splitter.take(Buffer.from([0, 0]))).toEqual([]);
  expect(splitter.isWithinFrame).toBe(true);
  expect(splitter.take(Buffer.from([0, 1, 7])).map((frame) => [...frame])).toEqual([[7]]);
  expect(splitter.isWithinFrame).toBe(false);
});

test("a frame that is too long is rejected as soon as its length is known", () => {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(LONGEST_FRAME + 1);
  expect(() => new FrameSplitter().take(head)).toThrow("a frame of more than");
});
