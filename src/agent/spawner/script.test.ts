import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOfText, textOfBytes } from "../../base/byte-text.ts";
import type { StartOrder } from "./protocol.ts";
import { quote } from "./quote.ts";
import { composeScript } from "./script.ts";

const ORDER: StartOrder = {
  order: "start",
  run: "uid/main/0",
  command: ["run", "it's"],
  environment: [["A", "1"]],
  directory: "/some dir",
  logFile: "/logs/a.log",
};
const FACTS = { number: 7, executable: "/bin/run", marker: "uid/main/0" };
const END = `;s=$?;echo "e 7 $s">&2;echo "7 $s"\n`;

test("a run is one line: that it was read, the command in a fork, then its status", () => {
  expect(composeScript(ORDER, FACTS)).toBe(
    `echo "b 7">&2;cd '/some dir'&&unset PWD OLDPWD&&(` +
      `A='1' TALLY_RUN='uid/main/0' 'run' 'it'\\''s' ` +
      `</dev/null >>'/logs/a.log' 2>&1)${END}`,
  );
});

test("what goes to stderr has a file of its own where one is given", () => {
  const script = composeScript({ ...ORDER, errorFile: "/logs/a.stderr" }, FACTS);
  expect(script).toContain(">>'/logs/a.log' 2>>'/logs/a.stderr')");
});

test("a word the shell has a command for is replaced by the program it was found to be", () => {
  const order = { ...ORDER, command: ["echo", "x"], environment: [] };
  const script = composeScript(order, { ...FACTS, executable: "/bin/echo" });
  expect(script).toContain("TALLY_RUN='uid/main/0' '/bin/echo' 'x' ");
});

const ODD = [
  ["A", "1"],
  ["b.c", "2"],
  ["OPTIND", "3"],
  ["MAILGUN_KEY", "4"],
] as const;

test("env sets names that no shell can assign, and its arguments hold no values", () => {
  const script = composeScript({ ...ORDER, environment: ODD }, FACTS);
  expect(script).toContain(
    "(A='1' MAILGUN_KEY='4' TALLY_RUN='uid/main/0' TALLY_VALUE_0='2' TALLY_VALUE_1='3' " +
      "/usr/bin/env -S '-u TALLY_VALUE_0 -u TALLY_VALUE_1 " +
      `-- "b.c=\${TALLY_VALUE_0}" "OPTIND=\${TALLY_VALUE_1}"' 'run' 'it'\\''s' <`,
  );
});

test("an env without -S is given the values themselves", () => {
  const facts = { ...FACTS, envSplits: () => false };
  const script = composeScript({ ...ORDER, environment: ODD }, facts);
  expect(script).toContain("/usr/bin/env 'b.c=2' 'OPTIND=3' 'run' ");
});

const ENV_SPLITS = spawnSync("/usr/bin/env", ["-S", "sh -c :"]).status === 0;

/** What a process has that is started by the script. */
function environmentOf(environment: StartOrder["environment"]): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), "tally-script-"));
  try {
    const logFile = join(directory, "log");
    const command = ["cat", "/proc/self/environ"];
    const order = { ...ORDER, command, environment, directory, logFile };
    const script = composeScript(order, { ...FACTS, envSplits: () => ENV_SPLITS });
    execFileSync("/bin/sh", ["-s"], { input: bytesOfText(script), env: {}, stdio: "pipe" });
    return textOfBytes(readFileSync(logFile)).split("\0").slice(0, -1);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test("a process has any variable, byte for byte", () => {
  const special = fc.constantFrom('a.b"c$d\\e', "BASH_FUNC_f%%", "x y\n#z", "'", `\${A}`, "-u");
  const name = fc.oneof(special, fc.string({ unit: "binary", minLength: 1, maxLength: 8 }));
  const value = fc.uint8Array({ maxLength: 8 }).map(textOfBytes);
  const clean = (text: string) => text.replace(/[\0]/g, "");
  const entry = fc.tuple(
    name.map(clean).filter((each) => each !== "" && !each.includes("=")),
    value.map(clean),
  );
  const variables = fc.uniqueArray(entry, { selector: ([each]) => each, maxLength: 20 });
  fc.assert(
    fc.property(variables, (given) => {
      const whole = [["PATH", "/usr/bin:/bin"] as const, ...given];
      const expected = whole.map(([each, text]) => `${each}=${text}`);
      const found = environmentOf(whole).filter((each) => !each.startsWith("TALLY_RUN="));
      expect(found.toSorted()).toEqual(expected.toSorted());
    }),
    { numRuns: 10 },
  );
});

test("umask and limits are set in the fork, before its files are opened", () => {
  const restored = {
    limits: [],
    shell: "umask 0027&&ulimit -S -n 256&&",
    prefix: ["/usr/bin/prlimit", "--nproc=5:6"],
    unmet: [],
  };
  expect(composeScript(ORDER, { ...FACTS, restored })).toContain(
    `&&(umask 0027&&ulimit -S -n 256&&A='1' TALLY_RUN='uid/main/0' ` +
      `'/usr/bin/prlimit' '--nproc=5:6' 'run' 'it'\\''s' </dev/null`,
  );
});

test("a run cannot pass for another", () => {
  const environment = [["TALLY_RUN", "other"]] as const;
  expect(composeScript({ ...ORDER, environment }, FACTS)).not.toContain("other");
});

test("a shell reads what was quoted", () => {
  const text = fc.string({ unit: "binary" }).map((each) => each.replaceAll("\0", ""));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 50 }), (texts) => {
      const script = `printf '%s\\0' ${texts.map(quote).join(" ")}`;
      const seen = execFileSync("/bin/sh", ["-s"], { input: script, encoding: "utf8" });
      expect(seen.split("\0").slice(0, -1)).toEqual(texts);
    }),
    { numRuns: 20 },
  );
});
