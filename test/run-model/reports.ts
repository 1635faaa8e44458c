/** Pure: what results, status, summary, JSON and logs say of a run, all of it the same and true. */
import type { Attempt } from "./attempts.ts";
import {
  failuresIn,
  isHalted,
  isNamedSince,
  mayGoOnUnseen,
  mostFailuresIn,
  type RunFacts,
  type State,
  stateAt,
} from "./facts.ts";
import type { Reports, ResultSeen, Violation } from "./history.ts";
import {
  eventsOf,
  keyOf,
  outputOf,
  saidBefore,
  saysBefore,
  type Token,
  tokensOf,
} from "./printed.ts";
import { planOf, tasksOf } from "./story.ts";
import type { Context } from "./world.ts";

export function judgeReports(facts: RunFacts): readonly Violation[] {
  return facts.contexts.flatMap((context) => {
    const { reports } = context.seen;
    if (reports === undefined || isOutdated(facts, context)) return [];
    return [
      ...judgeRows(facts, context, reports),
      ...judgeCounts(facts, context, reports),
      ...judgeBefore(facts, context),
      ...judgeStarts(facts, context, reports),
      ...judgeLogs(facts, context, reports),
    ].map(({ kind, text }) => ({ kind, text: `step ${context.seen.step}: ${text}` }));
  });
}

/** What ended after the last engine was killed is told when the next one begins. */
function isOutdated({ contexts }: RunFacts, context: Context): boolean {
  const former = contexts.slice(0, contexts.indexOf(context)).findLast((each) => !each.isIdle);
  return context.isIdle && former?.seen.code === null;
}

function judgeRows(facts: RunFacts, context: Context, { results }: Reports): readonly Violation[] {
  const { tasks, list } = context;
  if (results.length !== tasks.length) {
    return [{ kind: "results", text: `${results.length} rows for ${tasks.length} items` }];
  }
  const values = tasksOf(list);
  const states = tasks.map((task) => stateAt(facts, context, task));
  const halted = isHalted(context, states);
  return tasks.flatMap((task, index) => {
    const row = results[index];
    const isNamed = list.batch > 1 || row?.item === values[index]?.[0];
    if (!row || row.index !== index || !isNamed) {
      return [{ kind: "results", text: `row ${index} is ${row?.item} (index ${row?.index})` }];
    }
    const own = ownAttempts(facts, context, task);
    const given = { row, task, own, state: states[index] ?? "open", halted };
    return judgeRow(facts, context, given);
  });
}

/** Of the run as it is now. */
function ownAttempts(facts: RunFacts, { epochFrom, seen }: Context, task: string) {
  return facts.attempts.filter(
    (each) => each.task === task && each.beginAt >= epochFrom && each.beginAt < seen.to,
  );
}

interface RowGiven {
  readonly row: ResultSeen;
  readonly task: string;
  readonly own: readonly Attempt[];
  readonly state: State;
  readonly halted: boolean;
}

function judgeRow(facts: RunFacts, context: Context, given: RowGiven): readonly Violation[] {
  const { row, task, own, state, halted } = given;
  const found: Violation[] = [];
  const say = (kind: string, expected: string) => {
    const journal = own.map(({ number, fate, end }) => `${number}:${fate}:${end?.code ?? ""}`);
    const text = `${task} is ${row.state}, ${row.attempts} attempts, exit ${row.exit}`;
    found.push({ kind, text: `${text}; expected ${expected}; journal ${journal.join(" ")}` });
  };
  const allowed = allowedStates(context, state, own, halted);
  if (!allowed.includes(row.state)) say("result state", allowed.join(" or "));
  const counts = countRange(facts, context, own);
  if (row.attempts < counts.least || row.attempts > counts.most) {
    say("result attempts", `${counts.least} to ${counts.most} attempts`);
  }
  const last = own.at(-1);
  if (last?.fate === "ended" && row.exit !== last.end?.code)
    say("result exit", "the last exit code");
  if (own.length === 0 && counts.most === 0 && row.exit !== undefined) say("result exit", "none");
  return found;
}

const NOT_RUN = ["Pending", "NotRun", "Not run", "BackingOff", "Stopped"];

function allowedStates(
  { seen, countsFrom, retries }: Context,
  state: State,
  own: readonly Attempt[],
  halted: boolean,
): readonly string[] {
  switch (state) {
    case "succeeded":
      return ["Succeeded"];
    case "failed": {
      if (seen.code !== 130 && !halted) return ["Failed"];
      const most = Math.max(...countsFrom.map((since) => mostFailuresIn(own, since)));
      const fewest = Math.min(...countsFrom.map((since) => failuresIn(own, since)));
      const isSurely = fewest > Math.max(...retries);
      if (isSurely) return ["Failed"];
      return halted || most > Math.min(...retries) ? ["Failed", ...NOT_RUN] : NOT_RUN;
    }
    case "stopped":
      return halted ? ["Failed", ...NOT_RUN] : NOT_RUN;
    case "open":
      return NOT_RUN;
  }
}

/** A slot that was killed may have begun a task that did not come to write its first line. */
function countRange(facts: RunFacts, { epochFrom, flags }: Context, own: readonly Attempt[]) {
  const isSure = ({ fate }: Attempt) => !["stopped", "cut", "vanished"].includes(fate);
  const least = own.filter(isSure).length;
  const cut = own.filter(({ fate }) => fate === "cut").length;
  const halts = flags.halt === "now" || (flags.maxFailed !== undefined && flags.halt !== "soon");
  const stopped = halts ? own.length - least : cut;
  const kills = facts.history.legs.filter(
    ({ interrupted, to }) => interrupted && interrupted.slots.length > 0 && to >= epochFrom,
  ).length;
  return { least, most: least + stopped + kills };
}

interface Counts {
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** One truth everywhere. */
function judgeCounts(
  facts: RunFacts,
  context: Context,
  { results, status, listed }: Reports,
): readonly Violation[] {
  const { tasks } = context;
  const of = (state: string) => results.filter((row) => row.state === state).length;
  const counted = { total: tasks.length, succeeded: of("Succeeded"), failed: of("Failed") };
  const all: [string, Counts | undefined][] = [
    ["status", status],
    ["list", listed],
    ["summary", summaryOf(context)],
  ];
  const truth = countsText(counted);
  return all.flatMap(([what, counts]) => {
    const isRight = counts === undefined || countsText(counts) === truth;
    const text = `${what} says ${counts && countsText(counts)}, results say ${truth}`;
    return isRight ? [] : [{ kind: `counts of ${what}`, text: `${facts.run}: ${text}` }];
  });
}

function countsText({ total, succeeded, failed }: Counts): string {
  return `${succeeded} of ${total} succeeded, ${failed} failed, ${total - succeeded - failed} not`;
}

function summaryOf({ seen }: Context): Counts | undefined {
  const { out, error } = seen;
  if (outputOf(seen) === "json") {
    const summary = eventsOf(out).find(({ type }) => type === "summary");
    if (!summary) return undefined;
    const { items = 0, succeeded = 0, failed = 0 } = summary;
    return { total: items, succeeded, failed };
  }
  const found = SUMMARY.exec(error);
  if (!found) return undefined;
  const [, succeeded, total, failed = "0", not = "0"] = found;
  const counts = { total: Number(total), succeeded: Number(succeeded), failed: Number(failed) };
  // What is left is said, too: a sum that does not come out is wrong.
  return { ...counts, total: counts.succeeded + counts.failed + Number(not) };
}

const SUMMARY =
  /^tally: \S+: (?:stopped; )?(\d+) of (\d+) succeeded(?:, (\d+) failed)?(?:, (\d+) not run)?/m;

/** What was done before a command is what had succeeded by then. */
function judgeBefore(facts: RunFacts, context: Context): readonly Violation[] {
  const { seen, tasks, from, isIdle } = context;
  if (!saysBefore(context) || isIdle) return [];
  const said = saidBefore(context);
  if (said === undefined) return [{ kind: "done before", text: "nothing is said of it" }];
  const counted = (isDone: (attempt: Attempt) => boolean) =>
    tasks.filter((task) => {
      const own = ownAttempts(facts, context, task);
      const before = own.findLast(({ beginAt }) => beginAt < from);
      return own.some(isDone) && !(before && isNamedSince(facts, context, before));
    }).length;
  const least = counted(({ fate, end }) => fate === "ended" && end?.code === 0 && end.at < from);
  const until = mayGoOnUnseen(facts, context) ? seen.to : from;
  const most = counted(({ end, beginAt }) => end?.code === 0 && beginAt < until);
  if (said >= least && said <= most) return [];
  return [{ kind: "done before", text: `${said} are said to be, ${least} to ${most} were` }];
}

/** The start times that the program recorded are in list order. */
function judgeStarts(
  facts: RunFacts,
  context: Context,
  { results }: Reports,
): readonly Violation[] {
  const { tasks, from, seen, version } = context;
  if (seen.interrupted?.act.startsWith("kill")) return [];
  const starts = tasks.flatMap((task, index) => {
    const own = facts.attempts.filter((each) => each.task === task && each.beginAt < seen.to);
    const [only] = own;
    const isNew = only && only.beginAt >= from && only.begin.version === version;
    const isOnly = isNew && own.length === 1 && only.fate === "ended";
    const start = results[index]?.start;
    return isOnly && start !== undefined ? [{ index, ms: Date.parse(start) }] : [];
  });
  const isSorted = starts.every(({ ms }, at) => at === 0 || ms >= (starts[at - 1]?.ms ?? 0));
  if (isSorted) return [];
  const text = starts.map(({ index, ms }) => `${index}@${ms % 100_000}`).join(" ");
  return [{ kind: "order of starts", text }];
}

/** The output of the last attempt at each item, in the order of the list. */
function judgeLogs(
  facts: RunFacts,
  context: Context,
  { logs, itemLogs }: Reports,
): readonly Violation[] {
  const { tasks, list } = context;
  const found: Violation[] = [];
  const compare = (what: string, text: string, chosen: readonly string[]) => {
    const lasts = chosen.map((task) => ownAttempts(facts, context, task).at(-1));
    if (lasts.some((last) => last !== undefined && last.fate !== "ended")) return;
    const expected = lasts.flatMap((last) => (last ? tokensOfAttempt(facts, last) : []));
    const [said, wanted] = [tokensText(tokensOf(text)), tokensText(expected)];
    if (said !== wanted) found.push({ kind: what, text: `${said}; expected ${wanted}` });
  };
  compare("logs", logs, tasks);
  if (itemLogs) {
    const chosen = tasks.filter((_, index) => list.values[index] === itemLogs.value);
    compare("logs of an item", itemLogs.text, chosen);
  }
  return found;
}

function tokensOfAttempt(facts: RunFacts, attempt: Attempt): readonly Token[] {
  const key = keyOf(facts, attempt);
  const { lines } = planOf(facts.story, attempt.task, attempt.number);
  const own = Array.from({ length: lines }, (_, at) => ({ key, line: String(at + 1) }));
  return [...own, { key, line: "e" }];
}

function tokensText(tokens: readonly Token[]): string {
  return tokens.map(({ key, line }) => `${key}.${line}`).join(" ");
}
