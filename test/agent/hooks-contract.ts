/** Part of runtime-contract.ts: what lifecycle hooks do in every runtime. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { script, stateOf, until } from "./cluster.ts";
import type { Parts } from "./runtime-contract.ts";

const command = (text: string) => ({ exec: { command: ["sh", "-c", text] } });
const LOOP = "while :; do sleep 0.05; done";

export function hooksContract({ cluster, file }: Parts): void {
  const events = (pod: string) => cluster().eventsOf(pod);
  const isUp = (pod: string) =>
    cluster().podThat(pod, (each) => stateOf(each)?.running !== undefined);

  test("postStart has the environment and the working directory of its container", async () => {
    const [said, done] = [file("hook-said"), file("hook-done")];
    const note = `echo "$A $B $(pwd)" > ${said}; touch ${done}`;
    const container = script(`until [ -e ${done} ]; do sleep 0.05; done; echo main`, {
      env: [{ name: "A", value: "one" }],
      workingDir: "/tmp",
      lifecycle: { postStart: command(note) },
    });
    await cluster().createPod("post", { containers: [container] });
    expect((await cluster().over("post")).status.phase).toBe("Succeeded");
    expect(readFileSync(said, "utf8")).toBe("one  /tmp\n");
    expect(await cluster().log("post")).toBe("main\n");
  });

  test("postStart delays reporting its container as running", async () => {
    const go = file("hook-go");
    const lifecycle = { postStart: command(`until [ -e ${go} ]; do sleep 0.05; done`) };
    const containers = [script(`echo up; ${LOOP}`, { lifecycle })];
    await cluster().createPod("slow-hook", { containers });
    await until(async () => (await cluster().log("slow-hook")) === "up\n");
    const pod = await cluster().findPod("slow-hook");
    expect(pod?.status.phase).toBe("Pending");
    await cluster().createPod("go", { containers: [script(`touch ${go}`)] });
    await isUp("slow-hook");
    await cluster().deletePod("slow-hook", 0);
  });

  test("a postStart hook that fails ends its container", async () => {
    const lifecycle = { postStart: command("exit 5") };
    const containers = [script(`trap 'exit 9' TERM; ${LOOP}`, { lifecycle })];
    await cluster().createPod("bad-hook", { containers });
    const pod = await cluster().over("bad-hook");
    expect(pod.status.phase).toBe("Failed");
    await until(async () => {
      return (await events("bad-hook")).includes("FailedPostStartHook: PostStartHook failed");
    });
  });

  test("preStop runs before the stop signal", async () => {
    const [order, hooked] = [file("hook-order"), file("hook-hooked")];
    const lifecycle = { preStop: command(`sleep 0.3; echo hook >> ${order}; touch ${hooked}`) };
    const text = `trap 'echo signal >> ${order}; exit 0' TERM; ${LOOP}`;
    await cluster().createPod("pre", { containers: [script(text, { lifecycle })] });
    await isUp("pre");
    await cluster().deletePod("pre", 30);
    await cluster().gone("pre");
    expect(readFileSync(order, "utf8")).toBe("hook\nsignal\n");
    expect(existsSync(hooked)).toBe(true);
  });

  test("preStop cannot run longer than the grace period", async () => {
    const lifecycle = { preStop: command("sleep 100") };
    await cluster().createPod("endless", { containers: [script(LOOP, { lifecycle })] });
    await isUp("endless");
    await cluster().deletePod("endless", 1);
    await cluster().gone("endless");
  });

  test("a preStop hook that fails is reported in an event", async () => {
    const lifecycle = { preStop: command("exit 1") };
    await cluster().createPod("bad-end", { containers: [script(LOOP, { lifecycle })] });
    await isUp("bad-end");
    await cluster().deletePod("bad-end", 30);
    await cluster().gone("bad-end");
    await until(async () => {
      return (await events("bad-end")).includes("FailedPreStopHook: PreStopHook failed");
    });
  });
}
