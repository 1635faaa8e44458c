/** Part of runtime-contract.ts: termination messages of containers, and events about them. */
import { expect, test } from "vitest";
import { script, stateOf, until } from "./cluster.ts";
import type { Parts } from "./runtime-contract.ts";

export function tellingContract({ cluster, file }: Parts): void {
  test("a container's termination message is read from the path it names", async () => {
    const terminationMessagePath = file("last-words");
    const text = `echo well done > ${terminationMessagePath}`;
    const containers = [script(text, { terminationMessagePath })];
    await cluster().createPod("says", { containers });
    const { terminated } = stateOf(await cluster().over("says")) ?? {};
    expect(terminated).toMatchObject({ exitCode: 0, message: "well done\n" });
  });

  test("the termination message takes precedence over the log", async () => {
    const terminationMessagePath = file("last-words-of-a-failure");
    const container = script(`echo log; echo words > ${terminationMessagePath}; exit 1`, {
      terminationMessagePath,
      terminationMessagePolicy: "FallbackToLogsOnError",
    });
    await cluster().createPod("says-both", { containers: [container] });
    const { terminated } = stateOf(await cluster().over("says-both")) ?? {};
    expect(terminated).toMatchObject({ exitCode: 1, message: "words\n" });
  });

  test("events report that containers are created, started and stopped", async () => {
    const containers = [script("while :; do sleep 0.05; done")];
    await cluster().createPod("told", { containers });
    await cluster().podThat("told", (pod) => stateOf(pod)?.running !== undefined);
    await cluster().deletePod("told", 1);
    await cluster().gone("told");
    const expected = [
      "Created: Container created",
      "Started: Container started",
      "Killing: Stopping container c",
    ];
    await until(async () => {
      const told = await cluster().eventsOf("told");
      return expected.every((event) => told.includes(event));
    });
  });

  test("events report a container that fails repeatedly", async () => {
    const containers = [script("exit 1")];
    await cluster().createPod("loops", { restartPolicy: "Always", containers });
    const pod = await cluster().podThat("loops", (each) => {
      return stateOf(each)?.waiting?.reason === "CrashLoopBackOff";
    });
    const where = `pod loops_default(${pod.metadata.uid})`;
    const message = `Back-off restarting failed container c in ${where}`;
    await until(async () => (await cluster().eventsOf("loops")).includes(`BackOff: ${message}`));
    expect(pod.status.phase).toBe("Running");
    await cluster().deletePod("loops", 0);
  });
}
