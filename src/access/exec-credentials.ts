/** Gets credentials from an exec plugin, and caches them until they expire. */
import { spawn } from "node:child_process";
import { type Clock, systemClock } from "../base/clock.ts";
import type { CredentialSource, Credentials } from "../base/credentials.ts";
import { type ExecAnswer, type ExecPlugin, execInfo, readExecAnswer } from "./exec-plugin.ts";

export interface ExecSurroundings {
  readonly environment: { readonly [name: string]: string | undefined };
  /** Whether the plugin may ask a person for a password. */
  readonly isInteractive: boolean;
  readonly clock?: Clock;
}

export function execCredentials(
  plugin: ExecPlugin,
  { environment, isInteractive, clock = systemClock }: ExecSurroundings,
): CredentialSource {
  let known: ExecAnswer | undefined;
  let asking: Promise<ExecAnswer> | undefined;
  const ask = () => {
    asking ??= run(plugin, environment, isInteractive)
      .then((text) => readExecAnswer(plugin, text))
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };
  return {
    current: async (): Promise<Credentials> => {
      const isGood = known && (known.expiresMs ?? Number.POSITIVE_INFINITY) > clock.nowMs();
      known = isGood && known ? known : await ask();
      return known.credentials;
    },
    refused: (credentials) => {
      if (known?.credentials === credentials) known = undefined;
    },
  };
}

function run(
  plugin: ExecPlugin,
  environment: ExecSurroundings["environment"],
  isInteractive: boolean,
): Promise<string> {
  const { command, args, env, interactiveMode, installHint } = plugin;
  if (interactiveMode === "Always" && !isInteractive) {
    throw new Error(`exec plugin ${command} requires a terminal (interactiveMode is Always)`);
  }
  const mayAsk = isInteractive && interactiveMode !== "Never";
  const own = { ...env, KUBERNETES_EXEC_INFO: execInfo(plugin, mayAsk) };
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...environment, ...own },
      stdio: [mayAsk ? "inherit" : "ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    child.once("error", (cause) => {
      const hint = installHint === undefined ? "" : `\n${installHint}`;
      reject(new Error(`exec: executable ${command} cannot be run${hint}`, { cause }));
    });
    child.once("close", (code, signal) => {
      if (code === 0) resolve(text);
      else reject(new Error(`exec: executable ${command} failed with ${code ?? signal}`));
    });
  });
}
