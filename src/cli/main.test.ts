import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testMachine } from "../../test/builders/machine.ts";
import { formatKubeconfig } from "../access/kubeconfig.ts";
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
  [["up", "--node-name", "A b"], '--node-name must be a name such as "worker-1.example"'],
  [["up", "--on-exit", "stay"], '--on-exit must be "terminate" or "leave", not "stay"'],
  [["up", "--on-log-limit", "burn"], '--on-log-limit must be "cut" or "fail"'],
  [["up", "--log-max-bytes", "much"], '--log-max-bytes must be an amount such as "10Mi"'],
  [["up", "--data="], '--data must name a directory, not ""'],
  [["up", "--kubeconfig="], '--kubeconfig must name a file, not ""'],
  [["up", "--controllers", "rootca,magic"], 'not "magic"'],
  [["up", "--service-cluster-ip-range", "10.0.0.1/16"], "must be a range such as"],
  [["up", "--service-cluster-ip-range", "10.0.0.0/30"], "must have a prefix from /12 to /29"],
  [["up", "--service-cluster-ip-range", "10.0.0.0/8"], "must have a prefix from /12 to /29"],
  [["up", "--service-cluster-ip-range", "fd00::/48"], "must have a prefix from /64 to /125"],
  [["up", "--feature-gates", "Magic=true"], "unrecognized feature gate: Magic"],
  [["up", "--feature-gates", "IndexedJob"], "missing bool value for IndexedJob"],
  [["up", "--feature-gates", "IndexedJob=on"], "invalid value of IndexedJob=on, err: strconv."],
  [["up", "--feature-gates", "IndexedJob=true", "--feature-gates", "B=true"], "gate: B"],
  [["up", "--job-backoff-base", "10"], 'must be a duration such as "10s" or "1m30s", not "10"'],
  [["up", "--job-backoff-cap", "9s"], "must not be below --job-backoff-base"],
  [["up", "--job-batch", "-1s"], "must be a duration"],
  [["up", "--concurrent-job-syncs", "0"], "must be a number from 1 to 999999"],
  [["up", "--job-pods-per-sync", "many"], "must be a number from 1 to 999999"],
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
  [["sideways"], "tally: unknown command 'sideways'"],
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
  for (const value of ["127.0.0.1", "6443", "all", "info"]) {
    expect(text).toContain(`(default: "${value}")`);
  }
});

const COMMANDS = [
  ...["run", "scale", "pause", "resume", "create-workflow"],
  ...["status", "list", "retry", "results", "report", "prune", "completion"],
  ...["controller", "install", "uninstall"],
  ...[
    "up",
    "down",
    "kubeconfig",
    "agent",
    "apply",
    "get",
    "describe",
    "logs",
    "wait",
    "delete",
    "version",
  ],
];

test.each(COMMANDS)("docs/cli.md explains exactly the flags of %s", async (command) => {
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

test.each([
  [["get", "pods"]],
  [["apply", "-f", "job.yaml"]],
  [["describe", "x"]],
  [["logs", "x"]],
  [["wait", "x", "--for", "delete"]],
  [["delete", "x"]],
])("without a kubeconfig %j says how to get one", async (argv) => {
  expect(await run(...argv)).toEqual({
    exitCode: 1,
    out: "",
    error: 'error: there is no kubeconfig (start a server with "tally up")\n',
  });
});

test("a server that is not there is named, and how to start one", async () => {
  const kubeconfig = join(await mkdtemp(join(tmpdir(), "tally-main-")), "kubeconfig");
  onTestFinished(() => rm(dirname(kubeconfig), { recursive: true, force: true }));
  // Nothing listens on a port that was closed a moment ago.
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const url = `http://127.0.0.1:${port}`;
  await writeFile(kubeconfig, formatKubeconfig({ url, ca: "", token: "none" }));
  expect(await run("get", "--kubeconfig", kubeconfig)).toEqual({
    exitCode: 1,
    out: "",
    error: `error: no server answers at ${url} (start one with "tally up")\n`,
  });
});

test.each([
  [["get", "-o", "xml"], "--output must be one of wide, json, yaml, name, jsonpath=TEMPLATE"],
  [["get", "-o", "jsonpath={.a"], "--output: error parsing jsonpath {.a, unclosed action"],
  [["apply", "-f", "x", "--dry-run", "client"], "--dry-run must be server or none"],
  [["logs"], "say whose: a NAME, TYPE/NAME or --selector"],
  [["logs", "x", "--tail", "some"], '--tail must be a number of lines or -1, not "some"'],
  [["logs", "x", "--since", "1h", "--since-time", "y"], "--since and --since-time exclude"],
  [["wait", "x", "--for", "ever"], "--for must be condition=NAME[=VALUE]"],
  [["wait", "x", "--for", "delete", "--timeout", "long"], "--timeout must be a duration"],
  [["delete", "x", "--cascade", "all"], "--cascade must be background, foreground or orphan"],
  [["delete", "x", "--now", "--grace-period", "3"], "--now and --grace-period exclude"],
  [["delete", "x", "--force", "--grace-period", "3"], "--force and a --grace-period above 0"],
])("%j is called wrongly", async (argv, reason) => {
  const { exitCode, out, error } = await run(...argv);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(error).toContain(`tally ${argv[0]}: ${reason}`);
});
