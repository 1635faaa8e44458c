/** The script for other clusters, run by the shells that are here. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { composeScript, type ScriptInput } from "../../src/runs/compose/script.ts";
import { batchList } from "../../src/runs/list/batch.ts";

const directory = mkdtempSync(join(tmpdir(), "tally-script-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const SHELLS = ["sh", "dash", "bash", "bash --posix", "busybox sh", "ksh", "mksh", "zsh", "yash"]
  .map((command) => command.split(" "))
  .filter(([program = "", ...rest]) => {
    return spawnSync(program, [...rest, "-c", "exit 7"]).status === 7;
  });

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** As the pod runs it: the script in a file, the index in the environment. */
function runScript(shell: readonly string[], script: string, index: string | undefined): Ended {
  const file = join(directory, "run.sh");
  writeFileSync(file, script);
  const [program = "sh", ...rest] = shell;
  const env = {
    PATH: process.env["PATH"] ?? "",
    ...(index === undefined ? {} : { JOB_COMPLETION_INDEX: index }),
  };
  const { status, stdout, stderr } = spawnSync(program, [...rest, file], { env, encoding: "utf8" });
  return { code: status, out: stdout, error: stderr.replaceAll(directory, "") };
}

/** Shows each argument and some variables between NUL bytes. */
const SHOW = ["sh", "-c", 'printf "%s\\0" "$@" "$A" "$B"', "_"];

function shown(
  input: Omit<ScriptInput, "appended"> & Partial<ScriptInput>,
  shell: readonly string[],
  index = 0,
) {
  const { code, out, error } = runScript(
    shell,
    composeScript({ appended: [], ...input }),
    `${index}`,
  );
  expect({ code, error }).toEqual({ code: 0, error: "" });
  return out.split("\0").slice(0, -1);
}

const FRUITS = {
  parameters: ["A", "B"],
  columns: [
    ["apple", 'it\'s "so" $HOME `id` \\n', "-n"],
    ["green\nand red\n", "", "*  ?"],
  ],
};
const COMMAND = [
  ...SHOW.map((text) => [text]),
  [{ parameter: "A" }],
  ["x-", { parameter: "B" }, "-$y"],
];

test.each(SHELLS.map((shell) => [shell.join(" "), shell] as const))(
  "%s finds the item of each index and keeps it intact",
  (_, shell) => {
    for (const index of [0, 1, 2]) {
      const [a, b] = [FRUITS.columns[0]?.[index], FRUITS.columns[1]?.[index]];
      const input = { list: FRUITS, command: COMMAND };
      expect(shown(input, shell, index)).toEqual([a, `x-${b}-$y`, a, b]);
    }
  },
);

test.each(SHELLS.map((shell) => [shell.join(" "), shell] as const))(
  "%s gets batches and further arguments one by one",
  (_, shell) => {
    const list = batchList(
      {
        parameters: ["A", "B"],
        columns: [
          ["a b", "", "c'"],
          ["1", "", "3"],
        ],
      },
      3,
    );
    const command = [
      ...SHOW.map((text) => [text]),
      [{ parameter: "A" }],
      [{ parameter: "A_LAST" }],
    ];
    const words = shown({ list, command, appended: ["B"] }, shell);
    expect(words).toEqual(["a b", "", "c'", "c'", "1", "3", "a b\n\nc'", "1\n\n3"]);
  },
);

test.each(SHELLS.map((shell) => [shell.join(" "), shell] as const))(
  "%s says what is missing",
  (_, shell) => {
    const script = composeScript({ list: FRUITS, command: [["true"]], appended: [] });
    const unset = runScript(shell, script, undefined);
    expect(unset.code).toBe(125);
    expect(unset.error).toContain("JOB_COMPLETION_INDEX is not set");
    const beyond = runScript(shell, script, "3");
    expect(beyond.code).toBe(125);
    expect(beyond.error).toContain("there is no item for index 3");
    const lacking = composeScript({ list: FRUITS, command: [["no-such-program"]], appended: [] });
    const absent = runScript(shell, lacking, "0");
    expect(absent.code).toBe(127);
    expect(absent.error).toContain("the image does not have this command: no-such-program");
  },
);

test("the exit code of the command is that of the script", () => {
  const command = [["sh"], ["-c"], ["exit 3"]];
  const script = composeScript({ list: FRUITS, command, appended: [] });
  expect(runScript(["sh"], script, "1").code).toBe(3);
});

test("whatever a value contains, it arrives", () => {
  const value = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"));
  fc.assert(
    fc.property(value, value, (a, b) => {
      const list = { parameters: ["A", "B"], columns: [[a], [b]] };
      for (const shell of SHELLS) {
        expect(shown({ list, command: COMMAND }, shell)).toEqual([a, `x-${b}-$y`, a, b]);
      }
    }),
    { numRuns: 20 },
  );
});

test("a shell reads the longest script that fits", () => {
  const column = Array.from({ length: 20_000 }, (_, index) => `item number ${index}`);
  const list = { parameters: ["A"], columns: [column] };
  const command = [["echo"], [{ parameter: "A" }]];
  const file = join(directory, "long.sh");
  writeFileSync(file, composeScript({ list, command, appended: [] }));
  const env = { PATH: process.env["PATH"] ?? "", JOB_COMPLETION_INDEX: "19999" };
  expect(execFileSync("sh", [file], { env, encoding: "utf8" })).toBe("item number 19999\n");
});
