/**
 * The contract of all runtimes: what each must do for pods. It is tested through the API of a whole
 * server, with only sh and applets of busybox in the containers.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Cluster, lastCondition, script, stateOf, until } from "./cluster.ts";
import { descriptorsContract } from "./descriptors-contract.ts";
import { hooksContract } from "./hooks-contract.ts";
import { tellingContract } from "./telling-contract.ts";

export interface RuntimeUnderContract {
  readonly name: string;
  /** Arguments of "tally up". */
  readonly args: readonly string[];
  readonly env?: { readonly [name: string]: string };
}

export function runtimeContract({ name, args, env = {} }: RuntimeUnderContract): void {
  // Most of these tests wait: for a grace period, a deadline or a restart.
  vi.setConfig({ maxConcurrency: 32 });
  describe.concurrent(`runtime ${name}`, () => {
    let cluster: Cluster;
    let shared: string;
    beforeAll(async () => {
      shared = mkdtempSync(path.join(tmpdir(), "tally-contract-"));
      cluster = await Cluster.start({ args: ["--job-backoff-base=10ms", ...args], env });
    });
    afterAll(async () => {
      await cluster.dispose();
      rmSync(shared, { recursive: true, force: true });
    });
    const parts = { cluster: () => cluster, file: (file: string) => path.join(shared, file) };
    describe("a process", () => processContract(parts));
    describe("the environment", () => environmentContract(parts));
    describe("several containers", () => containersContract(parts));
    describe("stopping a pod", () => endingContract(parts));
    describe("the open files of a process", () => descriptorsContract(parts));
    describe("a lifecycle hook", () => hooksContract(parts));
    describe("messages and events", () => tellingContract(parts));
    describe("a Job", () => jobContract(parts));
  });
}

export interface Parts {
  readonly cluster: () => Cluster;
  /** The path of a file that tests and containers see under the same name. */
  readonly file: (name: string) => string;
}

function processContract({ cluster, file }: Parts): void {
  test.each([
    [0, "Succeeded", "Completed"],
    [1, "Failed", "Error"],
    [42, "Failed", "Error"],
    [255, "Failed", "Error"],
  ])("that exits with %i leaves its pod %s", async (exitCode, phase, reason) => {
    const name = `exit-${exitCode}`;
    await cluster().createPod(name, { containers: [script(`exit ${exitCode}`)] });
    const pod = await cluster().over(name);
    expect(pod.status.phase).toBe(phase);
    expect(stateOf(pod)?.terminated).toMatchObject({ exitCode, reason });
  });

  test("that dies of a signal exits with 128 plus the number of the signal", async () => {
    // The first process of a container cannot kill itself with SIGKILL.
    const dies = "sh -c 'kill -9 $$$$'; exit $?";
    await cluster().createPod("signal", { containers: [script(dies)] });
    expect(stateOf(await cluster().over("signal"))?.terminated?.exitCode).toBe(137);
  });

  test("that prints to stdout and stderr has both in its log, in order", async () => {
    await cluster().createPod("prints", {
      // Docker and Podman use one pipe per output: lines printed at the same time may be reordered.
      containers: [script("echo one; sleep 0.2; echo two >&2; sleep 0.2; printf three")],
    });
    await cluster().over("prints");
    expect(await cluster().log("prints")).toBe("one\ntwo\nthree");
    expect(await cluster().log("prints", "tailLines=1")).toBe("three");
    expect(await cluster().log("prints", "limitBytes=3")).toBe("one");
  });

  test("that prints can be followed until it ends", async () => {
    const containers = [script("for i in 1 2 3; do echo $i; sleep 0.1; done")];
    await cluster().createPod("followed", { containers });
    await cluster().podThat("followed", ({ status }) => status.phase !== "Pending");
    expect(await cluster().log("followed", "follow=true")).toBe("1\n2\n3\n");
  });

  test("that restarts has a log for each run", async () => {
    const once = file("once-restarted");
    const runs = `test -e ${once} || { touch ${once}; echo first; exit 1; }; echo second; ${LOOP}`;
    const containers = [script(runs)];
    await cluster().createPod("restarts", { restartPolicy: "OnFailure", containers });
    await until(async () => (await cluster().log("restarts")) === "second\n");
    expect(await cluster().log("restarts", "previous=true")).toBe("first\n");
    await cluster().deletePod("restarts", 0);
  });

  test("that fails has the end of its log as its termination message, if configured", async () => {
    const container = script("echo no more disks; exit 3", {
      terminationMessagePolicy: "FallbackToLogsOnError",
    });
    await cluster().createPod("words", { containers: [container] });
    const { terminated } = stateOf(await cluster().over("words")) ?? {};
    expect(terminated).toMatchObject({ exitCode: 3, message: "no more disks\n" });
  });
}

function environmentContract({ cluster }: Parts): void {
  test("has all variables of a container, and later ones override earlier ones", async () => {
    await cluster().createConfigMap("settings", { color: "red", size: "9" });
    await cluster().createSecret("keys", { token: "s3cret" });
    const env = [
      { name: "PLAIN", value: "a b'c\"d $(NOPE) $$(PLAIN)" },
      { name: "size", value: "10" },
      { name: "USES", value: "$(PLAIN)/$(color)" },
      { name: "TOKEN", valueFrom: { secretKeyRef: { name: "keys", key: "token" } } },
      { name: "MAYBE", valueFrom: { configMapKeyRef: { name: "x", key: "y", optional: true } } },
      { name: "WHO", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "NOTE", valueFrom: { fieldRef: { fieldPath: "metadata.annotations['note']" } } },
      { name: "TIER", valueFrom: { fieldRef: { fieldPath: "metadata.labels['tier']" } } },
      { name: "CPUS", valueFrom: { resourceFieldRef: { resource: "requests.cpu" } } },
    ];
    const names = [
      "PLAIN",
      "color",
      "size",
      "USES",
      "TOKEN",
      "MAYBE",
      "WHO",
      "NOTE",
      "TIER",
      "CPUS",
    ];
    const print = names.map((name) => `echo "${name}=\${${name}-unset}"`).join("; ");
    const container = script(print, {
      env,
      envFrom: [{ configMapRef: { name: "settings" } }],
      resources: { requests: { cpu: "100m" } },
    });
    const metadata = { annotations: { note: "of\ntwo lines" }, labels: { tier: "low" } };
    await cluster().createPod("env", { containers: [container] }, metadata);
    await cluster().over("env");
    const plain = `a b'c"d $(NOPE) $(PLAIN)`;
    expect(await cluster().log("env")).toBe(
      `PLAIN=${plain}\ncolor=red\nsize=10\nUSES=${plain}/red\nTOKEN=s3cret\nMAYBE=unset\n` +
        "WHO=env\nNOTE=of\ntwo lines\nTIER=low\nCPUS=1\n",
    );
  });

  test("that needs a missing ConfigMap keeps the pod waiting until it exists", async () => {
    const from = { configMapKeyRef: { name: "later", key: "k" } };
    const container = script('echo "$A"', { env: [{ name: "A", valueFrom: from }] });
    await cluster().createPod("lacks", { containers: [container] });
    const waiting = await cluster().podThat("lacks", (pod) => {
      return stateOf(pod)?.waiting?.reason === "CreateContainerConfigError";
    });
    expect(stateOf(waiting)?.waiting?.message).toBe('configmap "later" not found');
    await cluster().createConfigMap("later", { k: "here" });
    expect((await cluster().over("lacks")).status.phase).toBe("Succeeded");
    expect(await cluster().log("lacks")).toBe("here\n");
  });

  test("is expanded in both command and args", async () => {
    const container = {
      name: "c",
      image: "busybox:1.36",
      env: [{ name: "A", value: "x y" }],
      command: ["sh", "-c", 'echo "$0|$1"'],
      args: ["$(A)", "$$(A)"],
    };
    await cluster().createPod("args", { containers: [container] });
    await cluster().over("args");
    expect(await cluster().log("args")).toBe("x y|$(A)\n");
  });
}

function containersContract({ cluster, file }: Parts): void {
  test("start after all init containers have completed, in order", async () => {
    const note = (word: string) => `echo ${word} >> ${file("order")}`;
    await cluster().createPod("inits", {
      initContainers: [
        script(`sleep 0.2; ${note("one")}`, { name: "one" }),
        script(note("two"), { name: "two" }),
      ],
      containers: [script(note("main"))],
    });
    expect((await cluster().over("inits")).status.phase).toBe("Succeeded");
    expect(readFileSync(file("order"), "utf8")).toBe("one\ntwo\nmain\n");
  });

  test("never start if an init container fails", async () => {
    const initContainers = [script("exit 7", { name: "one" })];
    await cluster().createPod("failed-init", { initContainers, containers: [script("exit 0")] });
    const pod = await cluster().over("failed-init");
    expect(pod.status.phase).toBe("Failed");
    expect(stateOf(pod, "one")?.terminated?.exitCode).toBe(7);
    expect(stateOf(pod)?.waiting?.reason).toBe("PodInitializing");
  });

  test("end before their sidecar, whose exit code does not fail the pod", async () => {
    const serve = `trap 'echo bye >> ${file("side")}; exit 9' TERM; touch ${file("up")}; ${LOOP}`;
    await cluster().createPod("sidecar", {
      terminationGracePeriodSeconds: 5,
      initContainers: [script(serve, { name: "side", restartPolicy: "Always" })],
      containers: [script(`until [ -e ${file("up")} ]; do sleep 0.05; done; echo work`)],
    });
    const pod = await cluster().over("sidecar");
    expect(pod.status.phase).toBe("Succeeded");
    expect(readFileSync(file("side"), "utf8")).toBe("bye\n");
  });

  test.each([
    ["Restart", 1, 0],
    ["RestartAllContainers", 1, 1],
  ])("are restarted by a rule with action %s", async (action, own, other) => {
    const once = file(`once-${action}`);
    const exitCodes = { operator: "In", values: [42] };
    const rules = { restartPolicy: "Never", restartPolicyRules: [{ action, exitCodes }] };
    const flaky = script(`test -e ${once} || { touch ${once}; exit 42; }`, rules);
    const name = action.toLowerCase();
    await cluster().createPod(name, { containers: [flaky, script("exit 0", { name: "d" })] });
    const { status } = await cluster().over(name);
    expect(status.phase).toBe("Succeeded");
    expect(status.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([own, other]);
  });

  test("fail their pod if one of them fails", async () => {
    const containers = [script("exit 0"), script("exit 4", { name: "d" })];
    await cluster().createPod("two", { containers });
    const pod = await cluster().over("two");
    expect(pod.status.phase).toBe("Failed");
    expect(stateOf(pod)?.terminated?.exitCode).toBe(0);
    expect(stateOf(pod, "d")?.terminated?.exitCode).toBe(4);
    expect(await cluster().log("two", "container=d")).toBe("");
  });
}

/** Runs until a signal comes, and reacts to it within 50 ms. */
const LOOP = "while :; do sleep 0.05; done";

function endingContract({ cluster, file }: Parts): void {
  const isRunning = (name: string, marker: string) =>
    until(async () => {
      const { status } = (await cluster().findPod(name)) ?? {};
      return status?.phase === "Running" && (await cluster().log(name)).includes(marker);
    });

  test.each([
    ["polite", "a process", []],
    ["bare", "a process that cleared its environment", ["env", "-i"]],
  ])("%s: lets %s handle SIGTERM", async (name, _, before) => {
    const farewell = `trap 'echo bye > ${file(name)}; exit 0' TERM; echo up; ${LOOP}`;
    const command = [...before, "sh", "-c", farewell];
    await cluster().createPod(name, {
      containers: [{ name: "c", image: "busybox:1.36", command }],
    });
    await isRunning(name, "up");
    await cluster().deletePod(name, 1000);
    await cluster().gone(name);
    expect(readFileSync(file(name), "utf8")).toBe("bye\n");
  });

  test("kills a process that ignores SIGTERM after the grace period", async () => {
    const alive = `while :; do echo alive > ${file("deaf")}; sleep 0.05; done`;
    const deaf = `trap '' TERM; echo up; ${alive}`;
    await cluster().createPod("deaf", { containers: [script(deaf)] });
    await isRunning("deaf", "up");
    await cluster().deletePod("deaf", 1);
    await cluster().gone("deaf");
    await staysAway(file("deaf"));
  });

  test("also ends a process that has left its parents", async () => {
    const daemon = `while :; do echo alive > ${file("daemon")}; sleep 0.05; done`;
    const leave = `(setsid sh -c '${daemon}' >/dev/null 2>&1 &) ; echo up; ${LOOP}`;
    await cluster().createPod("parent", { containers: [script(leave)] });
    await isRunning("parent", "up");
    await cluster().deletePod("parent", 1);
    await cluster().gone("parent");
    await staysAway(file("daemon"));
  });

  test("happens when activeDeadlineSeconds is over", async () => {
    const containers = [script(LOOP)];
    const limits = { activeDeadlineSeconds: 1, terminationGracePeriodSeconds: 2 };
    await cluster().createPod("late", { ...limits, containers });
    const { status } = await cluster().over("late");
    expect(status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
  });

  /** Checks that nobody writes the file again, which was written every 50 ms. */
  async function staysAway(name: string): Promise<void> {
    rmSync(name, { force: true });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(() => readFileSync(name)).toThrow("ENOENT");
  }
}

function jobContract({ cluster, file }: Parts): void {
  test("gives each process its index, and its logs are found by label", async () => {
    const container = {
      name: "c",
      image: "busybox:1.36",
      command: ["sh", "-c", 'echo "args $0 env $JOB_COMPLETION_INDEX"'],
      args: ["$(JOB_COMPLETION_INDEX)"],
    };
    await cluster().createJob(
      "story",
      { completions: 4, parallelism: 2 },
      {
        containers: [container],
      },
    );
    const job = await cluster().finished("story");
    expect(job.status).toMatchObject({ succeeded: 4, completedIndexes: "0-3" });
    for (const { metadata } of await cluster().podsOf("story")) {
      const index = metadata.labels?.["batch.kubernetes.io/job-completion-index"];
      expect(await cluster().log(metadata.name ?? "")).toBe(`args ${index} env ${index}\n`);
    }
  });

  test("counts the failures of each index", async () => {
    const odd = "test $((JOB_COMPLETION_INDEX % 2)) -eq 0 || { echo failed; exit 1; }";
    const spec = { completions: 4, parallelism: 4, backoffLimitPerIndex: 1 };
    await cluster().createJob("per-index", spec, { containers: [script(odd)] });
    const job = await cluster().finished("per-index");
    expect(lastCondition(job)).toBe("Failed");
    expect(job.status).toMatchObject({
      succeeded: 2,
      failed: 4,
      completedIndexes: "0,2",
      failedIndexes: "1,3",
    });
  });

  test("fails immediately when a process exits with a code that its policy names", async () => {
    const onExitCodes = { containerName: "c", operator: "In", values: [42] };
    const podFailurePolicy = { rules: [{ action: "FailJob", onExitCodes }] };
    const spec = { completions: 2, parallelism: 1, podFailurePolicy };
    await cluster().createJob("policy", spec, { containers: [script("exit 42")] });
    const job = await cluster().finished("policy");
    const failure = job.status.conditions?.find(({ type }) => type === "Failed");
    expect(failure?.reason).toBe("PodFailurePolicy");
    expect(failure?.message).toContain("Container c for pod default/policy-0-");
    expect(job.status.failed).toBe(1);
  });

  test("restarts a container in its pod", async () => {
    const once = `${file("once")}-$JOB_COMPLETION_INDEX`;
    const flaky = `test -e ${once} || { touch ${once}; exit 1; }`;
    await cluster().createJob(
      "on-failure",
      { completions: 2, parallelism: 2 },
      {
        restartPolicy: "OnFailure",
        containers: [script(flaky)],
      },
    );
    const job = await cluster().finished("on-failure");
    expect(lastCondition(job)).toBe("Complete");
    const restarts = (await cluster().podsOf("on-failure")).map(({ status }) => {
      return status.containerStatuses?.[0]?.restartCount;
    });
    expect(restarts).toEqual([1, 1]);
  });
}
