import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { testMachine } from "../../test/builders/machine.ts";
import { runCommandLine } from "./main.ts";

async function run(...argv: string[]) {
  const machine = testMachine();
  const exitCode = await runCommandLine(argv, machine);
  return { exitCode, out: machine.out(), error: machine.error() };
}

test.each([
  [["up", "--port", "http"], '--port must be a number from 0 (any free port) to 65535, not "http"'],
  [
    ["up", "--port", "65536"],
    '--port must be a number from 0 (any free port) to 65535, not "65536"',
  ],
  [["up", "--port", "-1"], '--port must be a number from 0 (any free port) to 65535, not "-1"'],
  [["up", "--port="], '--port must be a number from 0 (any free port) to 65535, not ""'],
  [["up", "--insecure-port", "x"], "--insecure-port must be a number"],
  [["up", "--insecure-port="], "--insecure-port must be a number"],
  [["up", "--insecure-port", "6443"], '--insecure-port must differ from --port, not "6443"'],
  [["up", "--address", "localhost"], '--address must be an IP address, not "localhost"'],
  [["up", "--data="], '--data must name a directory, not ""'],
  [["up", "--kubeconfig="], '--kubeconfig must name a file, not ""'],
  [["up", "--controllers", "rootca,magic"], 'rootca, serviceaccount, ttl, not "magic"'],
  [["up", "--service-cluster-ip-range", "10.0.0.1/16"], "must be a range such as"],
  [["up", "--service-cluster-ip-range", "10.0.0.0/30"], "must have a prefix from /12 to /29"],
  [["up", "--service-cluster-ip-range", "10.0.0.0/8"], "must have a prefix from /12 to /29"],
  [["up", "--service-cluster-ip-range", "fd00::/48"], "must have a prefix from /64 to /125"],
  [
    ["up", "--log-level", "loud"],
    '--log-level must be one of debug, info, warn, error, not "loud"',
  ],
  [["version", "--output", "xml"], '--output must be text or json, not "xml"'],
])("%j is refused with the reason and exit code 2", async (argv, reason) => {
  const { exitCode, out, error } = await run(...argv);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(error).toContain(`tally ${argv[0]}: ${argv[1]?.replace("=", "")}`);
  expect(error).toContain(reason);
});

test.each([
  [["up", "--prot", "1"], "tally: unknown option '--prot'"],
  [["up", "--port"], "tally: option '--port <port>' argument missing"],
  [["up", "now"], "tally: too many arguments for 'up'"],
  [["down"], "tally: unknown command 'down'"],
  [[], "Usage: tally"],
])("%j is refused with a hint and exit code 2", async (argv, hint) => {
  const { exitCode, out, error } = await run(...argv);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(error).toContain(hint);
});

test.each([
  [["--help"], "tally up "],
  [["help"], "tally up "],
  [["help", "up"], "tally up --data /tmp/run1 --port 0"],
  [["up", "--help"], "tally up --data /tmp/run1 --port 0"],
  [["version", "-h"], "tally version --output json"],
])("%j teaches by an example", async (argv, example) => {
  const { exitCode, out, error } = await run(...argv);
  expect({ exitCode, error }).toEqual({ exitCode: 0, error: "" });
  expect(out).toContain("Example");
  expect(out).toContain(example);
});

test("the help of up tells the defaults", async () => {
  const { out } = await run("up", "--help");
  const text = out.replace(/\s+/g, " ");
  for (const value of ["127.0.0.1", "6443", "all", "127.128.0.0/16", "info"]) {
    expect(text).toContain(`(default: "${value}")`);
  }
});

test.each(["up", "version"])("docs/cli.md explains exactly the flags of %s", async (command) => {
  const { out } = await run(command, "--help");
  const docs = await readFile(new URL("../../docs/cli.md", import.meta.url), "utf8");
  const section = docs.split(`## tally ${command}\n`)[1]?.split("\n## ")[0] ?? "";
  const documented = [...section.matchAll(/^\| `(?:-\w, )?(--[a-z-]+)/gm)].map((match) => match[1]);
  const offered = [...out.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map((match) => match[1]);
  expect(documented.sort()).toEqual(offered.sort());
});

test("version says which Tally and which Kubernetes, for people and for programs", async () => {
  const text = await run("version");
  expect(text.out).toMatch(/^tally \d+\.\d+\.\d+ \(Kubernetes 1\.36, Node v\d.*\)\n$/);
  const json = await run("version", "--output", "json");
  expect(JSON.parse(json.out)).toMatchObject({ kubernetes: "1.36", node: process.version });
});
