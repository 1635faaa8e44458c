/**
 * The same words to kubectl and to tally, on one server: what they print must be the same, byte
 * for byte, but for ages. Read test/kubectl/prompt.ts for the server and the kubectl.
 */
import { expect } from "vitest";
import { runCommandLine } from "../../src/cli/main.ts";
import { testMachine } from "../builders/machine.ts";
import { type Command, kubectlTests, type Outcome, type Prompt } from "../kubectl/prompt.ts";
import { waitingFor } from "../support/waits.ts";

export interface TwinOptions {
  readonly stdin?: unknown;
  /** For tally, where its words are others. */
  readonly tally?: Command;
}

export interface TallyRunning {
  /** Settles when what it has printed matches. */
  until(pattern: RegExp): Promise<void>;
  out(): string;
  readonly ended: Promise<Outcome>;
}

export interface Twins extends Prompt {
  /** Runs both and answers with what they agree on. */
  same(command: Command, options?: TwinOptions): Promise<Outcome>;
  tallySays(command: Command, options?: { readonly stdin?: unknown }): Promise<Outcome>;
  /** For a command that does not end: it is left to itself, and ends with the server. */
  tallyStarts(command: Command, options?: { readonly stdin?: unknown }): TallyRunning;
  /** Changes the status of what is there. */
  withStatus(resource: string, name: string, status: object): Promise<void>;
}

/** What older ones print differs in many small ways. */
const SERVED_MINOR = 36;

export function twinTests(
  args?: readonly string[],
): (name: string, body: (twins: Twins) => Promise<void>) => void {
  const check = kubectlTests(args, SERVED_MINOR);
  return (name, body) => check(name, async (prompt) => body(twinsOf(prompt)));
}

function twinsOf(prompt: Prompt): Twins {
  const tallyStarts: Twins["tallyStarts"] = (command, options) => start(prompt, command, options);
  const tallySays: Twins["tallySays"] = (command, options) => tallyStarts(command, options).ended;
  return {
    ...prompt,
    tallyStarts,
    tallySays,
    same: async (command, { stdin, tally = command } = {}) => {
      const theirs = masked(await prompt.kubectl(command, { stdin }));
      const ours = masked(await tallySays(tally, { stdin }));
      expect(ours, String(command)).toEqual(theirs);
      return ours;
    },
    withStatus: async (resource, name, status) => {
      const path = `${resource.replace("NS", prompt.namespace)}/${name}/status`;
      const type = { "Content-Type": "application/merge-patch+json" };
      const answer = await prompt.tally.call("PATCH", path, { status }, type);
      expect(answer.status, answer.text).toBe(200);
    },
  };
}

function start(
  { tally, namespace }: Prompt,
  command: Command,
  { stdin }: { readonly stdin?: unknown } = {},
): TallyRunning {
  const text = typeof stdin === "string" ? stdin : JSON.stringify(stdin ?? "");
  const machine = testMachine({
    environment: { KUBECONFIG: tally.kubeconfig },
    workingDirectory: process.cwd(),
    readInput: async () => text,
  });
  const listeners = new Set<() => void>();
  const writeOut = (written: string) => {
    machine.writeOut(written);
    for (const listener of listeners) listener();
  };
  const [name = "", ...rest] = typeof command === "string" ? command.split(" ") : command;
  const words = [name, "--namespace", namespace, ...rest];
  const what = `tally ${words.join(" ")} to end`;
  const describe = () => `it printed:\n${machine.out()}${machine.error()}`;
  const run = runCommandLine(words, { ...machine, writeOut });
  const ended = waitingFor({ what, describe }, run).then((code) => {
    return { code, stdout: machine.out(), stderr: machine.error() };
  });
  const until = (pattern: RegExp) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (pattern.test(machine.out())) resolve();
      };
      listeners.add(look);
      look();
    });
  return { until, out: machine.out, ended };
}

const AGE = /(?<![\w.-])(?:\d+[ydhms])+(?![\w.-])( *)/g;

function masked({ code, stdout, stderr }: Outcome): Outcome {
  return { code, stdout: maskAges(stdout), stderr };
}

/** A column keeps its width while an age within it grows. */
export function maskAges(text: string): string {
  return text.replace(AGE, (age, spaces: string) => "AGE".padEnd(spaces === "" ? 3 : age.length));
}
