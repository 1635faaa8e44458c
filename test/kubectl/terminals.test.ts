/** kubectl on a terminal whose size changes: exec -t, run -t, attach -t. */
import { type IPty, spawn } from "@lydell/node-pty";
import { expect } from "vitest";
import { kubectlTests, type Prompt } from "./prompt.ts";

const check = kubectlTests([]);

interface AtTerminal {
  readonly terminal: IPty;
  until(pattern: RegExp): Promise<void>;
  readonly ended: Promise<{ readonly exitCode: number; readonly shown: string }>;
}

function atTerminal(prompt: Prompt, args: readonly string[], env = {}): AtTerminal {
  const terminal = spawn(prompt.program, ["--namespace", prompt.namespace, ...args], {
    cols: 100,
    rows: 40,
    env: { ...prompt.environment, ...env },
  });
  let shown = "";
  const lookers: (() => void)[] = [];
  terminal.onData((text) => {
    shown += text;
    for (const look of lookers) look();
  });
  return {
    terminal,
    until: (pattern) =>
      new Promise((resolve) => {
        const look = () => void (pattern.test(shown) && resolve());
        lookers.push(look);
        look();
      }),
    ended: new Promise((resolve) => {
      terminal.onExit(({ exitCode }) => resolve({ exitCode, shown }));
    }),
  };
}

async function givenPod({ given, namespace, prints }: Prompt, container: object): Promise<void> {
  await given(`/api/v1/namespaces/${namespace}/pods`, {
    metadata: { name: "p" },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "c", image: "i", command: ["sleep", "1000"], ...container }],
    },
  });
  await prints("wait --for=condition=Ready pod/p --timeout=150s");
}

const SIZES = 'tty; while :; do stty size; read -t 0.1 x; [ "$x" = end ] && exit 6; done';

for (const [way, env] of [
  ["WebSockets", {}],
  ["SPDY", { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false" }],
] as const) {
  check(
    `exec -it over ${way} has a terminal of the client's size, which follows changes`,
    async (prompt) => {
      await givenPod(prompt, {});
      const exec = atTerminal(prompt, ["exec", "-it", "p", "--", "bash", "-c", SIZES], env);
      await exec.until(/^\/dev\/pts\/\d+\r\n(.*\r\n)*40 100\r\n/);
      exec.terminal.resize(120, 50);
      await exec.until(/50 120/);
      exec.terminal.write("end\n");
      const { exitCode, shown } = await exec.ended;
      expect(exitCode).toBe(6);
      expect(shown).toContain("command terminated with exit code 6");
    },
  );
}

check(
  "a container with a terminal can be attached to, detached from, and attached to again",
  async (prompt) => {
    const script = 'while read line; do echo "heard $line"; done';
    await givenPod(prompt, { command: ["sh", "-c", script], stdin: true, tty: true });
    const first = atTerminal(prompt, ["attach", "-it", "p"]);
    await first.until(/try pressing enter/);
    first.terminal.write("one\n");
    await first.until(/heard one/);
    first.terminal.kill("SIGTERM");
    await first.ended;
    const second = atTerminal(prompt, ["attach", "-it", "p"]);
    await second.until(/try pressing enter/);
    second.terminal.write("two\n");
    await second.until(/heard two/);
    const log = await prompt.prints("logs p");
    expect(log.replaceAll("\r", "")).toBe("one\nheard one\ntwo\nheard two\n");
    second.terminal.write("\u0004");
    expect((await second.ended).exitCode).toBe(0);
  },
);
