import fc from "fast-check";
import { expect, test } from "vitest";
import { SUFFIX_ALPHABET, seededRandom, systemRandom } from "./random.ts";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const SUFFIX = new RegExp(`^[${SUFFIX_ALPHABET}]{5}$`);

test.each([
  ["system", systemRandom],
  ["seeded", seededRandom(7)],
])("%s random values are well-formed and different", (_name, random) => {
  const uuids = Array.from({ length: 3000 }, () => random.uuid());
  const suffixes = Array.from({ length: 3000 }, () => random.suffix());
  expect(uuids.filter((uuid) => !UUID_V4.test(uuid))).toEqual([]);
  expect(suffixes.filter((suffix) => !SUFFIX.test(suffix))).toEqual([]);
  expect(new Set(uuids).size).toBe(3000);
  expect(new Set(suffixes.join("")).size).toBe(SUFFIX_ALPHABET.length);
});

test("a seed gives the same values again and another seed gives others", () => {
  const draw = (seed: number) => {
    const random = seededRandom(seed);
    return [random.uuid(), random.suffix(), random.below(1000)];
  };
  expect(draw(42)).toEqual(draw(42));
  expect(draw(42)).not.toEqual(draw(43));
});

test("a number below a limit stays below it", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 32 }), fc.integer(), (limit, seed) => {
      const number = seededRandom(seed).below(limit);
      return Number.isInteger(number) && number >= 0 && number < limit;
    }),
  );
});
