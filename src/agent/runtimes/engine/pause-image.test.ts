import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { pauseArchive } from "./pause-image.ts";

test("the image holds a program that waits until it is told to end", async () => {
  const archive = pauseArchive(process.arch);
  if (!archive) throw new Error(`no program for ${process.arch}`);
  const directory = mkdtempSync(path.join(tmpdir(), "tally-pause-"));
  try {
    writeFileSync(path.join(directory, "image.tar"), archive);
    expect(spawnSync("tar", ["-xf", "image.tar"], { cwd: directory }).status).toBe(0);
    const program = spawn(path.join(directory, "pause"));
    const ended = new Promise((resolve) => {
      program.once("exit", (code, signal) => resolve({ code, signal }));
    });
    await new Promise((resolve) => program.once("spawn", resolve));
    program.kill("SIGTERM");
    // Had it ended by itself, or crashed, another signal or a code would say so.
    expect(await ended).toEqual({ code: null, signal: "SIGTERM" });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("there is none for a machine whose language we do not speak", () => {
  expect(pauseArchive("s390x")).toBeUndefined();
});
