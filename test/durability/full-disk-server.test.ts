import { afterAll, beforeAll, expect, test } from "vitest";
import { type Compiled, compileChild } from "../support/compiled.ts";
import { serverAlone } from "./crash-life.ts";
import { fillDisk } from "./full-disk-life.ts";
import { smallDisk } from "./small-disk.ts";

const disk = smallDisk(6);
let compiled: Compiled;
beforeAll(async () => {
  compiled = await compileChild("test/durability/server-child.ts");
});
afterAll(async () => {
  disk.dispose();
  await compiled.dispose();
});

test.skipIf(!disk.isMounted)(
  "a server on a full disk rejects writes, but reads, deletes and restarts [needs mount]",
  async () => {
    const { acknowledged, refusal, problems } = await fillDisk(serverAlone(compiled), disk);
    expect(problems).toEqual([]);
    expect(acknowledged).toBeGreaterThan(30);
    expect(refusal?.json).toMatchObject({
      code: 500,
      reason: "InternalError",
      message: `Internal error occurred: no space left on ${disk.path}/data`,
    });
  },
  300_000,
);
