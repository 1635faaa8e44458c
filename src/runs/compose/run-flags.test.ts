import { Command } from "commander";
import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { addRunOptions, type RunFlags, readRun, runNameOf } from "./run-flags.ts";
import type { RunRequest } from "./run-request.ts";

const FILES: { readonly [name: string]: string } = {
  "fruits.txt": "apple\nbanana\ncherry\n",
  "one-line.txt": "apple banana cherry\n",
  "blank.txt": "apple\n\ncherry\n",
  "table.csv": "FILE,SIZE\na.txt,3\nb.txt,4\n",
  "table.tsv": "FILE\tSIZE\na.txt\t3\n",
  "rows.jsonl": '{"FILE":"a.txt"}\n',
  "texts.jsonl": '"a"\n"b"\n',
  "commands.txt": "echo one; echo two\n\n# nothing\nmake -C 'my dir'\n",
  lines: "l1\nl2\n",
};

/** As typed after "tally run". */
async function read(argv: readonly string[], stdin = "x\ny z\n"): Promise<RunRequest> {
  const dashes = argv.indexOf("--");
  const before = dashes === -1 ? argv : argv.slice(0, dashes);
  const command = addRunOptions(new Command("run").argument("[words...]")).exitOverride();
  command.configureOutput({ writeErr: () => {} });
  let words: string[] = [];
  command.action((operands: string[]) => {
    words = operands;
  });
  command.parse(before, { from: "user" });
  const name = runNameOf(words);
  const typed = {
    ...(name === undefined ? {} : { name }),
    words: dashes === -1 ? [] : argv.slice(dashes + 1),
  };
  const { request } = await readRun(typed, command.opts<RunFlags>(), {
    workingDirectory: "/here",
    environment: { LANG: "C" },
    cores: 4,
    random: seededRandom(1),
    readBytes: async (file) => {
      const text = file === "-" ? stdin : FILES[file];
      if (text !== undefined) return new TextEncoder().encode(text);
      throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
    },
  });
  return request;
}

const ECHO = ["--", "echo", "{}"];

test.each<[string, readonly string[], object]>([
  ["lines of a file", ["-a", "fruits.txt", ...ECHO], { ITEM: ["apple", "banana", "cherry"] }],
  ["stdin", ["-a", "-", "--", "echo"], { ITEM: ["x", "y z"] }],
  ["stdin, where {} is all there is", ECHO, { ITEM: ["x", "y z"] }],
  ["values that were typed", ["--per-completion-env=F=a b", ...ECHO], { F: ["a", "b"] }],
  [
    "values of a file",
    ["--per-completion-env", "F=@fruits.txt", "--per-completion-env=G=@one-line.txt", ...ECHO],
    { F: ["apple", "banana", "cherry"], G: ["apple", "banana", "cherry"] },
  ],
  [
    "lines that may be empty",
    ["--per-completion-env=F=@blank.txt", "--lines", ...ECHO],
    { F: ["apple", "", "cherry"] },
  ],
  ["a table", ["--csv", "table.csv", ...ECHO], { FILE: ["a.txt", "b.txt"], SIZE: ["3", "4"] }],
  ["a table with tabs", ["--tsv", "table.tsv", ...ECHO], { FILE: ["a.txt"], SIZE: ["3"] }],
  ["JSON lines", ["--jsonl", "rows.jsonl", ...ECHO], { FILE: ["a.txt"] }],
  ["a range", ["--range", "1-3", ...ECHO], { ITEM: ["1", "2", "3"] }],
  [
    "commands",
    ["--commands", "commands.txt"],
    { COMMAND_LINE: ["echo one; echo two", "# nothing", "make -C 'my dir'"] },
  ],
  ["a list after the command", [...ECHO, ":::", "a", "b c"], { ITEM: ["a", "b c"] }],
  [
    "a product of typed values and a file",
    ["--", "echo", ":::", "a", "b", "::::", "lines"],
    { ITEM_1: ["a", "a", "b", "b"], ITEM_2: ["l1", "l2", "l1", "l2"] },
  ],
  [
    "further arguments beside a list",
    ["-a", "lines", "--per-completion-arg", "--x ''", "--", "echo", "{}"],
    { ITEM: ["l1", "l2"], ARG_1: ["--x", ""] },
  ],
  [
    "batches",
    ["--range", "1-5", "--batch", "2", "--", "echo"],
    { ITEM: ["1\n2", "3\n4", "5"], ITEM_FIRST: ["1", "3", "5"], ITEM_LAST: ["2", "4", "5"] },
  ],
])("the list is %s", async (_, argv, columns) => {
  const { list } = await read(argv);
  const named = list?.parameters.map((name, at) => [name, list.columns[at]]) ?? [];
  expect(Object.fromEntries(named)).toEqual(columns);
});

test("-0 reads stdin and splits items at NUL bytes", async () => {
  const { list } = await read(["-0", "--", "echo"], "x\ny\0z\0");
  expect(list?.columns).toEqual([["x\ny", "z"]]);
});

test("without a list or placeholder the command runs once, and stdin is not read", async () => {
  expect((await read(["--", "echo", "hello"])).list).toBe(undefined);
});

test.each<[string, readonly string[], string]>([
  ["two lists", ["-a", "fruits.txt", "--range", "1-3", ...ECHO], "-a and --range are two lists"],
  ["two more", ["--csv", "table.csv", "--", "x", ":::", "a"], "--csv and ::: are two lists"],
  [
    "lists of different lengths",
    ["--per-completion-env=F=a b", "--per-completion-env=G=a b c", ...ECHO],
    "--per-completion-env F has 2 values and --per-completion-env G has 3 values: " +
      "they must be equally many",
  ],
  ["an empty line", ["--per-completion-env=F=@blank.txt", ...ECHO], "blank.txt, line 2"],
  ["a file that is not there", ["-a", "none", ...ECHO], "cannot read none: there is no such file"],
  ["no key", ["--per-completion-env=a b", ...ECHO], "--per-completion-env must be KEY="],
  ["no -- before the command", ["gzip", "-9", "a"], "unknown option '-9'"],
  ["words before --", ["gzip", "a", "b"], 'write "--" before the command: tally run gzip -- a b'],
  ["no number", ["--completions", "many", ...ECHO], "--completions must be a whole number"],
  ["no batch", ["--batch", "0", ...ECHO], "--batch must be a number of items"],
  ["another kind", ["--params-in", "file", ...ECHO], "--params-in must be configmap or secret"],
  ["a bad variable", ["--env", "a b=1", ...ECHO], "--env must be NAME or NAME=VALUE"],
  ["a bad index variable", ["--completion-index-var-name", "1", ...ECHO], "the name of a variable"],
  ["exit code 0", ["--fail-on", "0", ...ECHO], "--fail-on must be exit codes from 1 to 255"],
  ["exit codes backwards", ["--retry-on", "9-3", ...ECHO], "--retry-on must be exit codes"],
  ["no share", ["--max-failed", "101%", ...ECHO], "--max-failed must be a number of items"],
  ["no time", ["--timeout", "0", ...ECHO], "--timeout must be longer than nothing"],
  ["a cap below the base", ["--backoff", "10s,1s", ...ECHO], "a cap that is shorter"],
  ["another halt", ["--halt", "never", ...ECHO], "--halt must be now or soon"],
  ["too nice", ["--nice", "20", ...ECHO], "--nice must be from 0 to 19"],
])("%s is refused", async (_, argv, problem) => {
  await expect(read(argv)).rejects.toThrow(problem);
});

test.each<[readonly string[], object]>([
  [["--retries", "0"], { retries: 0 }],
  [["--max-failed", "7"], { maxFailed: { count: 7 } }],
  [["--max-failed", "2.5%"], { maxFailed: { percent: 2.5 } }],
  [["--backoff", "2s"], { backoff: { base: "2000ms", cap: "60000ms" } }],
  [["--backoff", "2m"], { backoff: { base: "120000ms", cap: "120000ms" } }],
  [["--backoff", "100ms,5s"], { backoff: { base: "100ms", cap: "5000ms" } }],
  [["--retry-on", "75,80-82"], { retryOn: [75, 80, 81, 82] }],
  [["--fail-on", "2"], { failOn: [2] }],
  [["--timeout", "90"], { timeoutSeconds: 90 }],
  [["--timeout", "1500ms"], { timeoutSeconds: 2 }],
  [["--halt", "soon"], { halt: "soon" }],
  [["--restart=OnFailure"], { restart: "OnFailure" }],
  [[], {}],
])("failure flags %j say %j", async (flags, options) => {
  expect((await read([...flags, "--", "true"])).failure).toEqual(options);
});

test.each<[readonly string[], number]>([
  [[], 4],
  [["-j", "3"], 3],
  [["-P", "3"], 3],
  [["-j", "200%"], 8],
  [["-j", "1%"], 1],
  [["-j", "0"], Number.POSITIVE_INFINITY],
])("of four cores %j is %d at once", async (flags, parallelism) => {
  expect((await read([...flags, "--", "true"])).parallelism).toBe(parallelism);
});

test("other flags are passed on", async () => {
  const flags = ["--env", "A=b=c", "--env", "LANG", "--workdir", "sub", "--nice", "5"];
  expect(await read(["name", ...flags, "-n", "work", "--", "true"])).toMatchObject({
    name: "name",
    namespace: "work",
    environment: [
      { name: "A", value: "b=c" },
      { name: "LANG", value: "C" },
    ],
    workdir: "/here/sub",
    niceness: 5,
    command: ["true"],
  });
});

test("with an image the working directory of this machine is not used", async () => {
  expect((await read(["--", "true"])).workdir).toBe("/here");
  expect((await read(["--image", "busybox", "--", "true"])).workdir).toBe(undefined);
});

test("--shuffle keeps all items", async () => {
  const { list } = await read(["--range", "1-100", "--shuffle", "--", "echo"]);
  const [values = []] = list?.columns ?? [];
  expect(values).not.toEqual([...values].sort((one, other) => Number(one) - Number(other)));
  expect(new Set(values).size).toBe(100);
});

test("-I sets the placeholder of the item", async () => {
  const { placeholders } = await read(["-a", "lines", "-I", "@@", "--", "echo", "@@", "{}"]);
  expect(placeholders?.item).toBe("@@");
});

test("a list with named values records the placeholder of -I as missing", async () => {
  const { placeholders } = await read(["--csv", "table.csv", "-I", "@@", "--", "echo", "@@"]);
  expect(placeholders).toEqual({ missingItem: "@@" });
});

test("--skip-placeholder-check is part of the request", async () => {
  const asked = await read(["--csv", "table.csv", "--skip-placeholder-check", ...ECHO]);
  expect(asked.skipsPlaceholderCheck).toBe(true);
  expect((await read(["--csv", "table.csv", ...ECHO])).skipsPlaceholderCheck).toBe(undefined);
});
