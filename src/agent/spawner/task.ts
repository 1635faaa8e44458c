/** Pure: a process as an order to a compiled slot. See native/slot.c for the format. */
import { bytesOfText } from "../../base/byte-text.ts";
import type { Amount } from "../../base/process-limits.ts";
import type { StartOrder } from "./protocol.ts";
import { type Restored, UNCHANGED } from "./restore-settings.ts";
import { MARKER, type ScriptFacts } from "./script.ts";

export function composeTask(order: StartOrder, facts: ScriptFacts): Buffer {
  const { directory, stdinFile = "/dev/null", logFile, errorFile = "" } = order;
  const { number, executable, marker, restored } = facts;
  // Of two variables with the same name the later one counts.
  const variables = new Map(order.environment).set(MARKER, marker);
  const texts = [
    ...[directory, stdinFile, logFile, errorFile, ...settingsOf(restored), executable],
    `${order.command.length}`,
    ...order.command,
    ...[...variables].map(([name, value]) => `${name}=${value}`),
  ];
  const body = bytesOfText(texts.map((text) => `${text}\0`).join(""));
  return Buffer.concat([Buffer.from(`${number} ${body.length}\n`), body]);
}

/** Whether a compiled slot can run it. Shells also have terminals, and leave processes alone. */
export function isTask({ beside, terminal, sandbox }: StartOrder): boolean {
  return beside === undefined && terminal === undefined && sandbox === undefined;
}

function settingsOf(restored: Restored | undefined): readonly [umask: string, limits: string] {
  const { umask, limits } = restored ?? UNCHANGED;
  const lines = limits.map(([name, { soft, hard }]) => {
    return `${RESOURCES.indexOf(name)} ${wordOf(soft)} ${wordOf(hard)},`;
  });
  return [umask === undefined ? "" : umask.toString(8), lines.join("")];
}

function wordOf(amount: Amount): string {
  return amount === "unlimited" ? "-" : `${amount}`;
}

/** In the order of their numbers in Linux. */
const RESOURCES = (
  "cpu fsize data stack core rss nproc nofile memlock as locks sigpending msgqueue nice " +
  "rtprio rttime"
).split(" ");
