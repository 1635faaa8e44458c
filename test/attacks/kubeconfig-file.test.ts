/**
 * The kubeconfig with the key of a user, under the usual umask, in a directory that others can
 * read.
 */
import { lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureCertificates } from "../../src/access/certificates.ts";
import { writeKubeconfig } from "../../src/access/write-kubeconfig.ts";
import { systemClock } from "../../src/base/clock.ts";
import { type Ended, Place } from "../run/tally-run.ts";

let place: Place;
beforeEach(async () => {
  place = new Place();
  const directory = place.path("data", "pki");
  const { ca } = await ensureCertificates({ directory, names: ["localhost"], clock: systemClock });
  const access = { url: "https://127.0.0.1:1", ca, token: "t" };
  await writeKubeconfig(place.path("data", "kubeconfig"), access);
});
afterEach(() => place.dispose());

const modeOf = (name: string) => (lstatSync(place.path(name)).mode & 0o777).toString(8);
const read = (name: string) => readFileSync(place.path(name), "utf8");

/** `before` is run by the shell first, such as a redirection. */
function kubeconfig(before: string, ...args: readonly string[]): Promise<Ended> {
  const words = ["kubeconfig", "alice", "--trusted", "--data", "data", ...args];
  return place.run(words, undefined, { before: `umask 022; ${before}` });
}

test("only the owner can read a file that the command writes", async () => {
  const quiet = { code: 0, out: "", error: "" };
  expect(await kubeconfig(":", "-o", "alice")).toEqual(quiet);
  expect([modeOf("alice"), read("alice")]).toEqual(["600", expect.stringContaining("key-data")]);
  writeFileSync(place.path("open"), "", { mode: 0o644 });
  expect(await kubeconfig(":", "--output", "open")).toEqual(quiet);
  expect(modeOf("open")).toBe("600");
});

test("a symbolic link in place of the file is replaced, not followed", async () => {
  writeFileSync(place.path("target"), "as it was");
  symlinkSync(place.path("target"), place.path("alice"));
  expect((await kubeconfig(":", "-o", "alice")).code).toBe(0);
  expect(read("target")).toBe("as it was");
  expect(lstatSync(place.path("alice")).isFile()).toBe(true);
});

test("redirecting to a file that others can read prints a warning", async () => {
  const { code, error } = await kubeconfig("exec > alice");
  expect([code, modeOf("alice")]).toEqual([0, "644"]);
  expect(error).toMatch(/^tally: others can read the file .* \(mode 0644\): .* use -o FILE/);
  expect((await kubeconfig("umask 077; exec > closed")).error).toBe("");
});
