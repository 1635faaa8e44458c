/** Pure: what commands print of their tasks: whole items, each once, with -k in list order. */
import type { Attempt } from "./attempts.ts";
import { hasSucceeded, isHalted, mayGoOnUnseen, type RunFacts, stateAt } from "./facts.ts";
import type { LegSeen, Violation } from "./history.ts";
import { type Flags, planOf } from "./story.ts";
import type { Context } from "./world.ts";

export function judgePrinted(facts: RunFacts): readonly Violation[] {
  const before = new Set<string>();
  return facts.contexts.flatMap((context) => {
    const { seen } = context;
    const tokens = tokensOf(printedText(context));
    const groups = groupsOf(tokens);
    const what = `${seen.leg.command.kind} in step ${seen.step}`;
    const found: Violation[] = [];
    for (const [at, group] of groups.entries()) {
      const attempt = findAttempt(facts, group.key);
      const task = attempt?.task ?? "of nobody";
      const text = `${what}: ${group.key} ${task}: ${group.lines.join(" ")}`;
      if (!attempt || !isShowable(facts, context, attempt)) {
        found.push({ kind: "printed", text });
        continue;
      }
      if (before.has(group.key)) found.push({ kind: "printed twice", text });
      before.add(group.key);
      const isCut = seen.code === null && at === groups.length - 1;
      const { lines } = planOf(facts.story, attempt.task, attempt.number);
      const isWhole = group.lines.join() === linesUpTo(lines).join();
      if (!isWhole && !isCut) found.push({ kind: "printed in part", text });
    }
    return [
      ...found,
      ...judgeMissing(facts, context, groups),
      ...judgeSequence(facts, context, groups),
      ...judgeEvents(facts, context),
    ];
  });
}

function linesUpTo(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => String(at + 1));
}

/** As the command itself was told: the flags in force may be those of an earlier one. */
export function outputOf({ leg: { command } }: LegSeen): Flags["output"] | undefined {
  return command.kind === "run" ? command.flags.output : undefined;
}

/** In JSON the output of an item is a field. */
function printedText({ seen }: Context): string {
  if (outputOf(seen) !== "json") return seen.out;
  return eventsOf(seen.out)
    .filter(({ type }) => type === "item")
    .map(({ stdout }) => stdout ?? "")
    .join("");
}

export interface RunEvent {
  readonly type: string;
  readonly index?: number;
  readonly exitCode?: number;
  readonly stdout?: string;
  readonly doneBefore?: number;
  readonly items?: number;
  readonly succeeded?: number;
  readonly failed?: number;
}

/** A command that was killed may have been at a line. */
export function eventsOf(out: string): readonly RunEvent[] {
  const lines = out.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as RunEvent);
}

export interface Token {
  /** "KEY.ATTEMPT", as tasks call themselves. */
  readonly key: string;
  readonly line: string;
}

export function tokensOf(text: string): readonly Token[] {
  return [...text.matchAll(/<(\d+\.\d+)\.(\d+|e)>/g)].map(([, key = "", line = ""]) => ({
    key,
    line,
  }));
}

interface Group {
  readonly key: string;
  readonly lines: string[];
}

function groupsOf(tokens: readonly Token[]): readonly Group[] {
  const groups: Group[] = [];
  for (const { key, line } of tokens) {
    const last = groups.at(-1);
    if (last?.key === key) last.lines.push(line);
    else groups.push({ key, lines: [line] });
  }
  return groups;
}

export function keyOf(facts: RunFacts, { task, number }: Pick<Attempt, "task" | "number">): string {
  return `${facts.keys.get(task)}.${number}`;
}

function findAttempt(facts: RunFacts, key: string): Attempt | undefined {
  return facts.attempts.find((attempt) => keyOf(facts, attempt) === key);
}

/** Only what came to an end, and of an item that was tried several times the last attempt. */
function isShowable(facts: RunFacts, { seen }: Context, attempt: Attempt): boolean {
  if (attempt.beginAt >= seen.to) return false;
  if (attempt.fate === "ended" && (attempt.end?.at ?? seen.to) >= seen.to) return false;
  const next = facts.attempts.find(
    (each) => each.task === attempt.task && each.number === attempt.number + 1,
  );
  // What lost its slot may have been taken for a failure at first.
  return next === undefined || next.beginAt >= seen.to || attempt.fate !== "ended";
}

/** Every item that began and ended for good during a command is shown by it. */
function judgeMissing(
  facts: RunFacts,
  context: Context,
  groups: readonly Group[],
): readonly Violation[] {
  const { seen, tasks, from, isIdle } = context;
  const { code, leg } = seen;
  if (code === null || isIdle || ![0, 1, 130].includes(code)) return [];
  const states = tasks.map((task) => stateAt(facts, context, task));
  if (isHalted(context, states)) return [];
  const shown = new Set(groups.map(({ key }) => key));
  const missing = findMissing();
  const successes = missing.filter(({ hasSucceeded }) => hasSucceeded).length;
  if (mayGoOnUnseen(facts, context)) {
    // They were done before this command followed the run, and counted so.
    if (!saysBefore(context)) return [];
    const before = tasks.filter((task) => isDoneBefore(facts, task, context)).length;
    if (successes <= (saidBefore(context) ?? 0) - before) return [];
  }
  return missing.map(({ text }) => ({ kind: "not printed", text }));

  function findMissing() {
    return tasks.flatMap((task, index) => {
      const own = facts.attempts.filter((each) => each.task === task && each.beginAt < seen.to);
      const last = own.at(-1);
      if (!last || last.beginAt < from || last.fate !== "ended") return [];
      // After Ctrl-C it may have been about to be tried again.
      if (code === 130 && states[index] === "failed") return [];
      const isSilent = planOf(facts.story, task, last.number).lines === 0;
      if (isSilent || shown.has(keyOf(facts, last))) return [];
      const text = `${leg.command.kind} in step ${seen.step}: ${task}, attempt ${last.number}`;
      return [{ text, hasSucceeded: last.end?.code === 0 }];
    });
  }
}

function isDoneBefore(facts: RunFacts, task: string, { epochFrom, from }: Context): boolean {
  return facts.attempts.some(
    (each) =>
      each.task === task &&
      each.beginAt >= epochFrom &&
      hasSucceeded(each) &&
      (each.end?.at ?? from) < from,
  );
}

export function saysBefore({ seen }: Context): boolean {
  return outputOf(seen) === "text" || outputOf(seen) === "json";
}

/** How many a command says were done before it. */
export function saidBefore({ seen }: Context): number | undefined {
  if (outputOf(seen) !== "json") return Number(/, (\d+) done before,/.exec(seen.error)?.[1] ?? 0);
  return eventsOf(seen.out).find(({ type }) => type === "run")?.doneBefore;
}

function judgeSequence(
  facts: RunFacts,
  context: Context,
  groups: readonly Group[],
): readonly Violation[] {
  const { seen, flags, tasks } = context;
  if (!flags.keepOrder || seen.leg.command.kind !== "run") return [];
  const indexes = groups.map(({ key }) => tasks.indexOf(findAttempt(facts, key)?.task ?? ""));
  const isSorted = indexes.every((index, at) => at === 0 || index > (indexes[at - 1] ?? -1));
  const text = `step ${seen.step}: ${indexes.join(" ")}`;
  return isSorted ? [] : [{ kind: "printed out of order", text }];
}

/** In JSON each item has its index, its own output and its own exit code. */
function judgeEvents(facts: RunFacts, { seen, tasks }: Context): readonly Violation[] {
  if (outputOf(seen) !== "json") return [];
  const items = eventsOf(seen.out).filter(({ type }) => type === "item");
  return items.flatMap(({ index = -1, stdout = "", exitCode }) => {
    const shown = findAttempt(facts, tokensOf(stdout)[0]?.key ?? "");
    if (shown === undefined || shown.fate !== "ended") return [];
    if (shown.task === tasks[index] && shown.end?.code === exitCode) return [];
    const text = `step ${seen.step}: index ${index} with exit ${exitCode} is ${shown.task}`;
    return [{ kind: "event", text }];
  });
}
