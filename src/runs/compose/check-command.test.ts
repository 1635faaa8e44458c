import { expect, test } from "vitest";
import { composeRun } from "./compose-run.ts";
import type { Placeholders, RunRequest } from "./run-request.ts";

const REQUEST: RunRequest = {
  name: "rows",
  namespace: "default",
  suffix: "x7k2p",
  command: [],
  list: { parameters: ["FILE", "COLOUR"], columns: [["a.txt"], ["green"]] },
  parallelism: 1,
};
const LINES = { parameters: ["ITEM"], columns: [["a.txt"]] };
const UNNAMED: Placeholders = { parameters: ["ITEM"], item: "{}", appendsItem: true };
const PRODUCT: Partial<RunRequest> = {
  list: { parameters: ["ITEM_1", "ITEM_2"], columns: [["a"], ["b"]] },
  placeholders: {
    parameters: ["ITEM_1", "ITEM_2"],
    item: "{}",
    hasPositions: true,
    appendsItem: true,
  },
};

function commandOf(command: readonly string[], fields: Partial<RunRequest> = {}) {
  const { spec } = composeRun({ ...REQUEST, ...fields, command }).job;
  return spec.template.spec.containers?.[0]?.command;
}

test.each<[string, string]>([
  ["{FLIE}", "there is no {FLIE}: did you mean {FILE}?"],
  ["--in={FIL}.gz", "there is no {FIL}: did you mean {FILE}?"],
  ["{FILES}", "did you mean {FILE}?"],
  ["{FILE}-{COLORU}", "there is no {COLORU}: did you mean {COLOUR}?"],
  ["{COLOR}", "did you mean {COLOUR}?"],
  ["{COLO}", "did you mean {COLOUR}?"],
  ["{file}", "there is no {file}: did you mean {FILE}?"],
  ["$FLIE", "there is no $FLIE: did you mean {FILE}?"],
  [`\${FLIE}`, "did you mean {FILE}?"],
  ["{JOB_COMPLETION_INDX}", "did you mean {JOB_COMPLETION_INDEX}?"],
  ["{I1}", "did you mean {I}?"],
  ['{"size":{FIEL}}', "there is no {FIEL}: did you mean {FILE}?"],
])("the argument %j is refused with the column that was meant", (argument, problem) => {
  const compose = () => commandOf(["rm", argument], { indexVariable: "I" });
  expect(compose).toThrow(problem);
  expect(compose).toThrow("--skip-placeholder-check");
});

test.each<[string, Partial<RunRequest>, string]>([
  ["{}", {}, "this list has no {}: use {FILE} or {COLOUR}"],
  ["--in={}", {}, "this list has no {}: use {FILE} or {COLOUR}"],
  ["{1}", {}, "this list has no {1}: use {FILE} or {COLOUR}"],
  ["{.}.png", {}, "this list has no {.}: use {FILE} or {COLOUR}"],
  ["{#}", {}, "this list has no {#}"],
  ["{1/.}", {}, "this list has no {1/.}"],
  ["@@", { placeholders: { missingItem: "@@" } }, "this list has no @@: use {FILE}"],
  ["{1}", { list: LINES, placeholders: UNNAMED }, "this list has no {1}: use {}"],
  ["{3}", PRODUCT, "this list has no {3}: use {}, {1} or {2}"],
  ["{3.}", PRODUCT, "this list has no {3.}: use {}, {1} or {2}"],
  ["{ITEN}", { list: LINES, placeholders: UNNAMED }, "did you mean {ITEM}?"],
])("%j is refused if the list does not have it", (argument, fields, problem) => {
  const compose = () => commandOf(["rm", argument], fields);
  expect(compose).toThrow(problem);
  expect(compose).toThrow("--skip-placeholder-check");
});

test("without a list a placeholder is rejected", () => {
  const { list: _, ...rest } = REQUEST;
  const compose = () => composeRun({ ...rest, completions: 2, command: ["echo", "{1}"] });
  expect(compose).toThrow("there is no list for {1}");
});

test.each<[string, readonly string[]]>([
  ["a program of awk", ["awk", "{print}", "{FILE}"]],
  ["a program of awk with a field", ["awk", "{print $1}"]],
  ["a filter of jq", ["jq", "{id}"]],
  ["a template of docker", ["docker", "-f", "{{.Id}}"]],
  ["a template of everything", ["docker", "-f", "{{.}}"]],
  ["a template with a name that is close", ["docker", "-f", "{{FLIE}}"]],
  ["a repetition in a pattern", ["grep", "-E", "[0-9]{1}x{2,3}"]],
  ["a name that is two edits from a short one", ["echo", "{FLEI}"]],
  ["a name that is three edits from a long one", ["echo", "{COL}"]],
  ["a shell's variable in a word", ["echo", `a\${FLIE} a$FLIE \${}`]],
  ["JSON", ["curl", "-d", '{"FLIE": 1}']],
  ["an empty pair in a script", ["sh", "-c", 'find "$FILE" -exec rm {} ";"']],
])("%s is passed as it is", (_, command) => {
  const composed = commandOf(command);
  expect(composed).toEqual(command.map((word) => (word === "{FILE}" ? "$(FILE)" : word)));
});

test("{} is passed unchanged if -I sets another placeholder", () => {
  const placeholders = { ...UNNAMED, item: "@@" };
  const command = ["find", "@@", "-exec", "rm", "{}", "{.}", ";"];
  const expected = ["find", "$(ITEM)", "-exec", "rm", "{}", "{.}", ";"];
  expect(commandOf(command, { list: LINES, placeholders })).toEqual(expected);
  const named = { placeholders: { missingItem: "@@" } };
  expect(commandOf(["rm", "{}"], named)).toEqual(["rm", "{}"]);
});

test("a mistyped name in a script is rejected with the right variable", () => {
  const compose = () => commandOf(["rm {FLIE}"]);
  expect(compose).toThrow('there is no {FLIE}: did you mean "$FILE"?');
});

test.each<[string, readonly string[], Partial<RunRequest>, readonly string[]]>([
  ["--in=$FILE", ["echo"], {}, ["--in={FILE}", `sh -c 'echo --in="$FILE"'`]],
  [`--in=\${FILE}.gz`, ["echo"], {}, ["--in={FILE}.gz", `sh -c 'echo --in="\${FILE}".gz'`]],
  [
    `out/\${FILE%.*}.png`,
    ["cp", "{FILE}"],
    {},
    ["out/{FILE}.png", `'cp "$FILE" out/"\${FILE%.*}".png'`],
  ],
  ["a $COLOUR $FILE", ["echo"], {}, ["a {COLOUR} {FILE}", "sh -c"]],
  ["--n=$I", ["echo"], { indexVariable: "I" }, ["--n={I}", `sh -c 'echo --n="$I"'`]],
  ["--in=$FILE", ["sh", "work.sh"], {}, ["--in={FILE}", "sh -c"]],
  ["--in=$ITEM", ["echo"], { list: LINES, placeholders: UNNAMED }, ["--in={ITEM}"]],
])("%j is refused with two ways to write it", (argument, program, fields, ways) => {
  const compose = () => commandOf([...program, argument], fields);
  expect(compose).toThrow("no shell reads");
  for (const way of ways) expect(compose).toThrow(way);
  expect(compose).toThrow("--skip-placeholder-check");
});

test.each<[string, readonly string[]]>([
  ["a script", ["sh", "-c", "echo --in=$FILE"]],
  ["a script that another program starts", ["docker", "run", "x", "sh", "-c", "echo --in=$FILE"]],
  ["a program of awk", ["awk", "$FILE == 1"]],
  ["a filter of jq", ["nice", "jq", "--arg", "FILE", "x", "{name: $FILE}"]],
  ["another variable", ["echo", "--in=$FILES $HOME"]],
  ["a dollar that is escaped", ["echo", "a\\$FILE"]],
])("a variable is passed as it is in %s", (_, command) => {
  expect(commandOf(command)).toEqual(command);
});

test("the check can be turned off, and known placeholders are still replaced", () => {
  const command = ["rm", "{FLIE}", "{}", "{1}", "--in=$FILE", "{FILE}", "$FLIE"];
  const composed = commandOf(command, { skipsPlaceholderCheck: true });
  expect(composed).toEqual(["rm", "{FLIE}", "{}", "{1}", "--in=$FILE", "$(FILE)", "$FLIE"]);
});
