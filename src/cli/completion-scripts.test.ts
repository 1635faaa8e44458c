import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { testMachine } from "../../test/builders/machine.ts";
import { runCommandLine } from "./main.ts";

test.each([
  ["st", 1, ["status"]],
  ["results --fo", 2, ["--format"]],
  ["status f", 2, ["fetch", "fruits"]],
  ["completion ", 2, ["bash", "zsh", "fish"]],
])("bash completes %j", async (typed, at, expected) => {
  const words = ["tally", ...typed.split(" ")].map((word) => JSON.stringify(word)).join(" ");
  const script = `
    tally() { printf 'fetch\\nfruits\\nother\\n'; }
    ${await completion("bash")}
    COMP_WORDS=(${words}) COMP_CWORD=${at}
    _tally
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout.trim().split("\n")).toEqual(expected);
});

test.each(["zsh", "fish"])(
  "%s is told commands, flags and where names of runs are",
  async (shell) => {
    const script = await completion(shell);
    expect(script).toContain("Show how a run stands");
    expect(script).toMatch(/(--|-l )older-than/);
    expect(script).toContain("tally list -o name");
  },
);

test("another shell is refused", async () => {
  const machine = testMachine();
  expect(await runCommandLine(["completion", "tcsh"], machine)).toBe(2);
  expect(machine.error()).toBe(
    'tally completion: the shell must be bash, zsh or fish, not "tcsh"\n',
  );
});

async function completion(shell: string): Promise<string> {
  const machine = testMachine();
  expect(await runCommandLine(["completion", shell], machine)).toBe(0);
  return machine.out();
}
