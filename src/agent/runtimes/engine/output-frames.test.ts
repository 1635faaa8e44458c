import fc from "fast-check";
import { expect, test } from "vitest";
import { OutputSplitter } from "./output-frames.ts";

function frame(isError: boolean, text: string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = isError ? 2 : 1;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

test("both outputs come apart as they were printed, wherever the pieces are cut", () => {
  const said = fc.array(fc.tuple(fc.boolean(), fc.string()), { maxLength: 8 });
  fc.assert(
    fc.property(said, fc.array(fc.nat(20), { maxLength: 30 }), (printed, cuts) => {
      const bytes = Buffer.concat(printed.map(([isError, text]) => frame(isError, text)));
      const splitter = new OutputSplitter();
      const outputs = { out: "", err: "" };
      const pieces: Buffer[] = [];
      let at = 0;
      for (const cut of cuts) {
        pieces.push(bytes.subarray(at, at + cut));
        at += cut;
      }
      pieces.push(bytes.subarray(at));
      for (const piece of pieces) {
        for (const { isError, bytes: part } of splitter.split(piece)) {
          outputs[isError ? "err" : "out"] += part.toString("latin1");
        }
      }
      const of = (isError: boolean) =>
        Buffer.from(printed.flatMap(([each, text]) => (each === isError ? [text] : [])).join(""));
      expect(outputs.out).toBe(of(false).toString("latin1"));
      expect(outputs.err).toBe(of(true).toString("latin1"));
    }),
  );
});
