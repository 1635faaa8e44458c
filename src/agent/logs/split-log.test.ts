import { appendFileSync, truncateSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loggedPod, readText, someLogs, type TestLogs } from "../../../test/builders/logs.ts";
import type { Pod } from "../../api/generated/core.ts";
import { errorFile, SPLIT_OUTPUT } from "../../api/log-files.ts";
import type { ReadOptions } from "./read-log.ts";

const plain = loggedPod();
const pod: Pod = {
  ...plain,
  metadata: { ...plain.metadata, annotations: { [SPLIT_OUTPUT]: "true" } },
};
let own: TestLogs;
beforeEach(async () => {
  own = await someLogs();
});
afterEach(() => own.dispose());

test.each<[ReadOptions, string]>([
  [{}, "one\ntwo\nwarning\nerror"],
  [{ tailLines: 1 }, "error"],
  [{ tailLines: 3 }, "two\nwarning\nerror"],
  [{ tailLines: 0 }, ""],
  [{ tailLines: 3, limitBytes: 6 }, "two\nwa"],
  [{ limitBytes: 10 }, "one\ntwo\nwa"],
  [{ limitBytes: 3 }, "one"],
  [{ sinceMs: 0, tailLines: 3 }, "two\nwarning\nerror"],
])("outputs that are kept apart are read as one log with %j", async (options, expected) => {
  const file = own.logs.begin(pod, { container: "c", attempt: 0 });
  writeFileSync(file, "one\ntwo\n");
  writeFileSync(errorFile(file), "warning\nerror");
  expect(await readText(own.logs, pod, options)).toBe(expected);
});

test("a run that wrote to stderr alone has a log, too", async () => {
  const file = own.logs.begin(pod, { container: "c", attempt: 0 });
  writeFileSync(errorFile(file), "error\n");
  expect(await readText(own.logs, pod)).toBe("error\n");
});

test("outputs that were kept apart are read when the annotation is gone", async () => {
  const file = own.logs.begin(pod, { container: "c", attempt: 0 });
  writeFileSync(file, "one\n");
  writeFileSync(errorFile(file), "error\n");
  expect(await readText(own.logs, plain)).toBe("one\nerror\n");
});

test("outputs that were not kept apart are read when the annotation is new", async () => {
  writeFileSync(own.logs.begin(plain, { container: "c", attempt: 0 }), "one\nerror\n");
  expect(await readText(own.logs, pod)).toBe("one\nerror\n");
});

test("the errors after a hole are read, and as many lines of output as they leave", async () => {
  const file = own.logs.begin(pod, { container: "c", attempt: 0 });
  writeFileSync(file, "one\ntwo\n");
  truncateSync(errorFileOf(file), 4 * 1024 ** 4);
  appendFileSync(errorFileOf(file), "error\n");
  expect(await readText(own.logs, pod, { tailLines: 2 })).toBe("two\nerror\n");
});

function errorFileOf(file: string): string {
  const errors = errorFile(file);
  appendFileSync(errors, "");
  return errors;
}
