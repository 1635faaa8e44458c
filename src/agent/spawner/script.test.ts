import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
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

test("names that no shell can assign are set by env", () => {
  const environment = [
    ["A", "1"],
    ["b.c", "2"],
    ["OPTIND", "3"],
  ] as const;
  const script = composeScript({ ...ORDER, environment }, FACTS);
  expect(script).toContain(
    "(A='1' TALLY_RUN='uid/main/0' /usr/bin/env 'b.c=2' 'OPTIND=3' 'run' 'it'\\''s' <",
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
