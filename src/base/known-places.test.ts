import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { knownPlaces, notePlace, stateFolder } from "./known-places.ts";

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tally-places-"));
  folder = stateFolder({ home, environment: {} });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const note = (path: string) => notePlace(path, { home, environment: {} });
const make = (name: string) => {
  mkdirSync(join(home, name));
  return join(home, name);
};

test("a place is listed once, with symbolic links resolved", () => {
  const place = make("data");
  symlinkSync(place, join(home, "link"));
  for (const path of [place, join(home, "link")]) note(path);
  expect(knownPlaces(folder)).toEqual([place]);
  expect(readFileSync(join(folder, "places"), "utf8")).toBe(`${JSON.stringify(place)}\n`);
  expect(statSync(join(folder, "places")).mode & 0o777).toBe(0o600);
});

test("a place that no longer exists is not returned", () => {
  const [gone, kept] = [make("gone"), make("kept\nwith a line")];
  for (const path of [gone, kept]) note(path);
  rmSync(gone, { recursive: true });
  expect(knownPlaces(folder)).toEqual([kept]);
});

test("a full list drops places that no longer exist first", () => {
  const kept = make("kept");
  note(kept);
  const gone = Array.from({ length: 300 }, (_, at) => JSON.stringify(`/nowhere/${at}`));
  writeFileSync(join(folder, "places"), `${gone.join("\n")}\n${JSON.stringify(kept)}\n`);
  const last = make("last");
  note(last);
  const text = [kept, last].map((each) => `${JSON.stringify(each)}\n`).join("");
  expect(readFileSync(join(folder, "places"), "utf8")).toBe(text);
});

test("invalid lines in a list are skipped", () => {
  const place = make("data");
  note(place);
  const lines = ['"/"', '"relative"', "7", "{", JSON.stringify(place)];
  writeFileSync(join(folder, "places"), lines.join("\n"));
  expect(knownPlaces(folder)).toEqual([place]);
});

test("a home that is not writable is ignored", () => {
  notePlace(home, { home: "/proc/no", environment: {} });
  expect(knownPlaces("/proc/no")).toEqual([]);
});

test.runIf(process.getuid?.() === 0)("a list cannot hide files of other users", () => {
  note("/usr");
  const place = make("data");
  note(place);
  expect(knownPlaces(folder)).toContain("/usr");
  chownSync(join(folder, "places"), 65534, 65534);
  chownSync(place, 65534, 65534);
  expect(knownPlaces(folder)).toEqual([place]);
});
