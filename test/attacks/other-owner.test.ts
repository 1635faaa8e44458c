/**
 * Another user of the machine, who can write in a directory in which somebody works: he prepares
 * the data directory there, or a part of it, and waits for a command that uses it.
 */
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Ended, Place, until } from "../run/tally-run.ts";
import { NOBODY, spawnAsNobody, withoutNobody } from "../support/nobody.ts";
import { projectFile } from "../support/project-file.ts";

const SECRET = "only-for-the-tasks-of-root";
const THEIRS =
  /^tally [a-z]+: .*\.tally(\/[a-z.]+)? belongs to another user \(65534, you are 0\), /;
const LINK = /^tally [a-z]+: .*\.tally(\/[a-z.]+)? is a symbolic link, which Tally does not follow/;

let place: Place;
beforeEach(() => {
  place = new Place();
  // As a directory that several users share.
  chmodSync(place.directory, 0o777);
});
afterEach(() => place.dispose());

const modeOf = (name: string) => (lstatSync(place.path(name)).mode & 0o777).toString(8);

/** "tally run" reserves 1 for failed items. */
function expectRefused({ code, out, error }: Ended, reason: RegExp): void {
  expect(error).toMatch(reason);
  expect(error.trim().split("\n")).toHaveLength(1);
  expect([out, code]).toEqual(["", error.startsWith("tally run:") ? 125 : 1]);
}

describe.skipIf(withoutNobody !== "")(`another user ${withoutNobody}`, () => {
  test("cannot have his items run by the engine of another user", async () => {
    const item = "test -e go || echo $$ > pid; id -u >> ran; test -e go || exec sleep 1000";
    const words = [process.execPath, projectFile("dist/main.js"), "run", "--completions", "2"];
    const theirs = spawnAsNobody([...words, "-j1", "--", "sh", "-c", item], {
      cwd: place.directory,
      env: { ...process.env, HOME: place.directory, XDG_STATE_HOME: "" },
      stdio: "ignore",
    });
    await until(() => existsSync(place.path("ran")));
    const gone = once(theirs, "close");
    theirs.kill("SIGKILL");
    await gone;
    // Kills everything of his run, so that only the next engine could start the remaining items.
    const [spawner = ""] = readdirSync(place.path(".tally", "agent", "lock"));
    const left = [spawner, readFileSync(place.path("pid"), "utf8")];
    for (const pid of left) process.kill(Number.parseInt(pid, 10), "SIGKILL");
    writeFileSync(place.path("go"), "");
    const victim = "until grep -qx 0 ran; do sleep 0.05; done";
    const ended = await place.run(["run", "-q", "--completions", "1", "--", "sh", "-c", victim]);
    expect(readFileSync(place.path("ran"), "utf8")).toBe(`${NOBODY}\n`);
    expectRefused(ended, THEIRS);
  });

  test("gets no environment variables by running his own spawner", async () => {
    mkdirSync(place.path(".tally", "store"), { recursive: true });
    chmodSync(place.path(".tally"), 0o777);
    const theirs = spawnAsNobody([process.execPath, "-e", FALSE_SPAWNER], {
      cwd: place.directory,
      stdio: "ignore",
    });
    try {
      await until(() => existsSync(place.path("heard")));
      const args = ["run", "-q", "--completions", "1", "--", "true"];
      const started = place.start(args, undefined, { env: { SECRET } });
      const heard = () => readFileSync(place.path("heard"), "utf8");
      let ended: Ended | undefined;
      void started.ended.then((each) => {
        ended = each;
      });
      await until(() => ended !== undefined || heard().includes(SECRET));
      expect(heard()).toBe("");
      const { code, error } = await started.ended;
      expect(error).toMatch(/\.tally\/agent belongs to another user/);
      expect(code).toBe(125);
    } finally {
      theirs.kill("SIGKILL");
    }
  });
});

describe.skipIf(withoutNobody !== "")(`a file of another user ${withoutNobody}`, () => {
  test.each([
    ["run", "-q", "--completions", "1", "--", "true"],
    ["resume", "x"],
    ["retry", "x"],
    ["status"],
    ["results", "x"],
    ["logs", "x"],
    ["list"],
    ["prune"],
    ["get", "pods"],
    ["up", "--port", "0", "--data", ".tally"],
    ["down", "--data", ".tally"],
    ["kubeconfig", "alice", "--data", ".tally"],
    ["agent", "--data", ".tally", "--kubeconfig", "kubeconfig"],
  ])("is rejected as the data directory of tally %s", async (...args) => {
    writeFileSync(place.path("kubeconfig"), KUBECONFIG);
    for (const name of [".tally", ".tally/store", ".tally/agent", ".tally/pki"]) {
      mkdirSync(place.path(name), { mode: 0o700 });
      chownSync(place.path(name), NOBODY, NOBODY);
    }
    expectRefused(await place.run(args), THEIRS);
  });

  test.each(["agent", "lock", "logs", "pki", "store", "tally.sock", "token", "kubeconfig"])(
    "is rejected in place of %s in a data directory",
    async (name) => {
      mkdirSync(place.path(".tally", "store"), { recursive: true });
      mkdirSync(place.path(".tally", name), { recursive: true });
      chownSync(place.path(".tally", name), NOBODY, NOBODY);
      expectRefused(await place.run(["status"]), THEIRS);
    },
  );

  test("is rejected as the file for a kubeconfig", async () => {
    writeFileSync(place.path("kubeconfig"), "apiVersion: v1\nkind: Config\n");
    chownSync(place.path("kubeconfig"), NOBODY, NOBODY);
    const data = ["--data", "data", "--kubeconfig", "kubeconfig"];
    const { error, code } = await place.run(["up", "--port", "0", "--no-agent", ...data]);
    expect(error).toMatch(/kubeconfig belongs to another user \(65534, you are 0\)/);
    expect(code).toBe(1);
    expect(readFileSync(place.path("kubeconfig"), "utf8")).not.toContain("token");
  });
});

test.each([
  ["the directory", ".tally"],
  ["its spawner's directory", ".tally/agent"],
  ["its database", ".tally/store"],
  ["its log", ".tally/engine.log"],
])("a symbolic link in place of %s is not followed", async (_what, name) => {
  mkdirSync(place.path("elsewhere", "store"), { recursive: true });
  if (name !== ".tally") mkdirSync(place.path(".tally"));
  symlinkSync(place.path("elsewhere"), place.path(name));
  expectRefused(await place.run(["run", "-q", "--completions", "1", "--", "true"]), LINK);
});

test("a directory that others can write to is closed to them, with a notice", async () => {
  const args = ["run", "-q", "--completions", "1", "--", "echo", "done"];
  expect(await place.run(args)).toEqual({ code: 0, out: "done\n", error: "" });
  for (const name of [".tally", ".tally/store"]) chmodSync(place.path(name), 0o777);
  const { code, out, error } = await place.run(args);
  const notice = (name: string) =>
    `tally: others could write to ${place.path(name)}: it is now closed to them (mode 0700)\n`;
  expect(error).toBe(notice(".tally") + notice(".tally/store"));
  expect([code, out]).toEqual([0, "done\n"]);
  expect([modeOf(".tally"), modeOf(".tally/store")]).toEqual(["700", "700"]);
});

test("a directory that others can read is closed to them", async () => {
  const args = ["run", "-q", "--completions", "1", "--", "true"];
  expect((await place.run(args)).code).toBe(0);
  for (const name of [".tally", ".tally/agent"]) chmodSync(place.path(name), 0o755);
  expect(await place.run(["run", "-q", "--completions", "1", "--", "true"])).toEqual({
    code: 0,
    out: "",
    error: "",
  });
  expect([modeOf(".tally"), modeOf(".tally/agent")]).toEqual(["700", "700"]);
});

/** Greets as a spawner does, and records the orders that it receives. */
const FALSE_SPAWNER = `
  const fs = require("node:fs");
  fs.mkdirSync(".tally/agent");
  const server = require("node:net").createServer((socket) => {
    socket.setEncoding("utf8").on("error", () => {}).on("data", (text) => {
      fs.appendFileSync("heard", text);
      const { order, version } = JSON.parse(text.split("\\n")[0]);
      const can = { cgroups: false, limits: {}, sandbox: {} };
      const greeting = { news: "greeting", version, can };
      const news = order === "greet" ? greeting : { news: "all", runs: [] };
      socket.write(JSON.stringify(news) + "\\n");
    });
  });
  server.listen(".tally/agent/spawner.sock", () => {
    fs.chmodSync(".tally/agent/spawner.sock", 0o777);
    fs.writeFileSync("heard", "");
  });
`;

const KUBECONFIG = `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: "https://127.0.0.1:1" } }]
users: [{ name: u, user: { token: t } }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
current-context: x
`;
