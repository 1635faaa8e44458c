import { describe, expect, test } from "vitest";
import { commandStatus, parseSize } from "./command-status.ts";
import { parseCommandQuery, parsePorts } from "./options.ts";

describe("the query of exec and attach", () => {
  test.each([
    ["command=ls&command=-l&stdout=true", { command: ["ls", "-l"], stdout: true, stdin: false }],
    ["stdin=1&stdout=&stderr=false", { stdin: true, stdout: true, stderr: false }],
    ["tty=true&stdout=true&stderr=true", { tty: true, stdout: true, stderr: false }],
    ["command=ls&stdout=0", { problem: "you must specify at least 1 of stdin, stdout, stderr" }],
  ])("%s", (query, options) => {
    expect(parseCommandQuery(new URLSearchParams(query))).toMatchObject(options);
  });
});

describe("ports of the older protocol", () => {
  test("may be repeated or separated by commas", () => {
    expect(parsePorts(new URLSearchParams("ports=80,81&ports=82"))).toEqual([80, 81, 82]);
  });

  test.each([
    ["", 'query parameter "port" is required'],
    ["ports=web", 'unable to parse "web" as a port'],
    ["ports=65536", 'unable to parse "65536" as a port'],
    ["ports=0", 'port "0" must be > 0'],
  ])("%s", (query, message) => {
    expect(() => parsePorts(new URLSearchParams(query))).toThrow(message);
  });
});

describe("the status of a command", () => {
  test.each([
    [{ exitCode: 0 }, { metadata: {}, status: "Success" }],
    [{}, { metadata: {}, status: "Success" }],
    [
      { exitCode: 3 },
      {
        metadata: {},
        status: "Failure",
        message:
          "command terminated with non-zero exit code: " +
          "error executing command [sh -c x], exit code 3",
        reason: "NonZeroExitCode",
        details: { causes: [{ reason: "ExitCode", message: "3" }] },
      },
    ],
  ])("%j", (end, status) => {
    expect(commandStatus(end, ["sh", "-c", "x"])).toEqual(status);
  });

  test("a command that could not start is an internal error", () => {
    expect(commandStatus({ problem: "no such thing" }, ["x"])).toMatchObject({
      status: "Failure",
      reason: "InternalError",
      code: 500,
      message:
        "Internal error occurred: error executing command in container: " +
        "failed to exec in container: no such thing",
    });
  });
});

test.each([
  ['{"Width":80,"Height":24}', { width: 80, height: 24 }],
  ['{"Width":0,"Height":24}', undefined],
  ['{"Width":80}', undefined],
  ["80x24", undefined],
])("the terminal size %s", (text, size) => {
  expect(parseSize(text)).toEqual(size);
});
