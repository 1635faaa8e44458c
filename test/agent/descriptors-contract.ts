/** Part of runtime-contract.ts: which files the processes of a container have open. */
import { existsSync, readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { Exec, KubeConfig } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { script, stateOf, until } from "./cluster.ts";
import type { Parts } from "./runtime-contract.ts";

const LIST = ["ls", "/proc/self/fd"];
/** The fourth descriptor is the directory that ls itself opened. */
const STANDARD = "0\n1\n2\n3\n";
const LOOP = "while :; do sleep 0.05; done";

export function descriptorsContract({ cluster, file }: Parts): void {
  const listInto = (name: string) => ({
    exec: { command: ["sh", "-c", `ls /proc/self/fd > ${name}.new; mv ${name}.new ${name}`] },
  });
  const found = (name: string) => readFileSync(name, "utf8");

  test("are only stdin, stdout and stderr, also in an init container", async () => {
    const container = { name: "c", image: "busybox:1.36", command: LIST };
    const initContainers = [{ ...container, name: "first" }];
    await cluster().createPod("holds", { initContainers, containers: [container] });
    await cluster().over("holds");
    expect(await cluster().log("holds", "container=first")).toBe(STANDARD);
    expect(await cluster().log("holds", "container=c")).toBe(STANDARD);
  });

  test("are only stdin, stdout and stderr in a container with stdin: true", async () => {
    const container = { name: "c", image: "busybox:1.36", command: LIST, stdin: true };
    await cluster().createPod("holds-input", { containers: [container] });
    await cluster().over("holds-input");
    expect(await cluster().log("holds-input")).toBe(STANDARD);
  });

  test("are only stdin, stdout and stderr in hooks and probes", async () => {
    const [after, probe, before] = ["after", "probe", "before"].map((name) => file(`fd-${name}`));
    const container = script(`trap 'exit 0' TERM; ${LOOP}`, {
      lifecycle: { postStart: listInto(after ?? ""), preStop: listInto(before ?? "") },
      livenessProbe: { ...listInto(probe ?? ""), periodSeconds: 1 },
    });
    await cluster().createPod("holds-beside", { containers: [container] });
    await until(async () => existsSync(probe ?? ""));
    await cluster().deletePod("holds-beside", 30);
    await cluster().gone("holds-beside");
    expect([after, probe, before].map((name) => found(name ?? ""))).toEqual([
      STANDARD,
      STANDARD,
      STANDARD,
    ]);
  });

  test("are only stdin, stdout and stderr in a container with a terminal", async () => {
    const container = { name: "c", image: "busybox:1.36", command: LIST, tty: true };
    await cluster().createPod("holds-terminal", { containers: [container] });
    await cluster().over("holds-terminal");
    expect(words(await cluster().log("holds-terminal"))).toEqual(words(STANDARD));
  });

  test("are only stdin, stdout and stderr in concurrent exec commands", async () => {
    await cluster().createPod("holds-exec", { containers: [script(LOOP)] });
    await cluster().podThat("holds-exec", (pod) => stateOf(pod)?.running !== undefined);
    const [begun, over] = [file("fd-exec-begun"), file("fd-exec-over")];
    // This command keeps its terminal open meanwhile.
    const wait = `touch ${begun}; until [ -e ${over} ]; do sleep 0.05; done; ls /proc/self/fd`;
    const other = execute("holds-exec", { tty: true, command: ["sh", "-c", wait] });
    await until(async () => existsSync(begun));
    expect(await execute("holds-exec", { tty: false })).toBe(STANDARD);
    expect(words(await execute("holds-exec", { tty: true }))).toEqual(words(STANDARD));
    await execute("holds-exec", { tty: false, command: ["touch", over] });
    expect(words(await other)).toEqual(words(STANDARD));
    await cluster().deletePod("holds-exec", 0);
  });

  interface Executed {
    readonly tty: boolean;
    readonly command?: string[];
  }

  async function execute(pod: string, { tty, command = LIST }: Executed): Promise<string> {
    const config = new KubeConfig();
    config.loadFromFile(cluster().tally.kubeconfig);
    const stdout = new PassThrough();
    let said = "";
    stdout.on("data", (bytes) => {
      said += bytes;
    });
    await new Promise((resolve, reject) => {
      new Exec(config)
        .exec("default", pod, "c", command, stdout, null, null, tty, resolve)
        .catch(reject);
    });
    return said;
  }
}

/** A terminal prints the numbers in columns. */
function words(text: string): readonly string[] {
  return text.split(/\s+/).filter(Boolean);
}
