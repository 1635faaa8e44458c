/** Bad luck: what is done to the processes of a story at a chosen moment. */
import type { InterruptionSeen } from "./history.ts";
import type { Stage, Started } from "./stage.ts";
import { commandLineOf, send } from "./stage.ts";
import type { Act, Moment } from "./story.ts";

const LOOK_AGAIN_MS = 4;
/** When nothing more begins, the moment is now: the tasks that run may be held. */
const STALLED_MS = 1_200;
/** The same before the first task: those of the last command may be held. */
const LONGEST_START_MS = 3_000;

/** Settles when the moment has come, or the command has ended. */
export async function untilMoment(
  moment: Moment,
  started: Started,
  { begun, isHeld }: { readonly begun: () => number; readonly isHeld: () => boolean },
): Promise<void> {
  if ("dieAt" in moment) {
    await started.ended;
    return;
  }
  const start = performance.now();
  let last = { count: 0, atMs: start };
  while (!started.isOver()) {
    const nowMs = performance.now();
    if ("afterMs" in moment) {
      if (nowMs - start >= moment.afterMs) return;
    } else {
      const count = begun();
      if (count >= moment.begun) return;
      if (count !== last.count) last = { count, atMs: nowMs };
      const longest = count > 0 ? STALLED_MS : LONGEST_START_MS;
      if (nowMs - last.atMs > longest && (count > 0 || isHeld())) return;
    }
    await pause(LOOK_AGAIN_MS);
  }
}

export async function interrupt(
  act: Act,
  started: Started,
  stage: Stage,
): Promise<InterruptionSeen> {
  const from = stage.journalLength();
  const slots = await carryOut(act, started, stage);
  return { act, from, to: stage.journalLength(), slots };
}

async function carryOut(act: Act, started: Started, stage: Stage): Promise<readonly number[]> {
  const cli = started.process.pid ?? 0;
  switch (act) {
    case "kill cli":
      await killTogether([cli]);
      return [];
    case "kill spawner":
      await killTogether(stage.spawner());
      return [];
    case "kill cli and spawner":
      await killTogether([cli, ...stage.spawner()]);
      return [];
    case "kill slot": {
      const [busy] = stage.tasks();
      const slots = busy ? [busy.slot] : stage.slots().slice(0, 1);
      await killTogether(slots);
      return slots;
    }
    case "kill slots and spawner": {
      const slots = stage.slots();
      await killTogether([...stage.spawner(), ...slots]);
      return slots;
    }
    case "kill all": {
      const slots = stage.slots();
      const tasks = stage.tasks().map(({ pid }) => pid);
      await killTogether([...stage.clis(), ...stage.spawner(), ...slots, ...tasks]);
      return slots;
    }
    case "interrupt":
      send(cli, "SIGINT");
      return [];
    case "interrupt twice":
      send(cli, "SIGINT");
      // Signals that come together are one.
      await pause(BETWEEN_SIGNALS_MS);
      send(cli, "SIGINT");
      return [];
    case "terminate":
      send(cli, "SIGTERM");
      return [];
  }
}

const BETWEEN_SIGNALS_MS = 60;

/** Stopped first, so that none can note the end of another. */
async function killTogether(pids: readonly number[]): Promise<void> {
  for (const pid of pids) send(pid, "SIGSTOP");
  for (const pid of pids) send(pid, "SIGKILL");
  for (const pid of pids) {
    while (isThere(pid)) await pause(1);
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch {
    return false;
  }
}

function isZombie(pid: number): boolean {
  return commandLineOf(pid) === "";
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
