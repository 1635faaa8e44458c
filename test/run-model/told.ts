/** Stories written by hand: the smallest ones that tell about one promise each. */
import type { Act, AttemptPlan, Flags, Leg, LegCommand, Plan, Release, Story } from "./story.ts";

const FLAGS: Flags = { jobs: 1, retries: 0, keepOrder: false, output: "text" };
const START: Release = { at: "start" };
const NEVER: Release = { at: "never" };
const EASY: AttemptPlan = { code: 0, lines: 1, isHeld: false };
const HELD: AttemptPlan = { ...EASY, isHeld: true };

const planned = (...attempts: readonly AttemptPlan[]): Plan => ({ attempts, after: EASY });
const failing = planned({ ...EASY, code: 3 });
const held = planned(HELD);

function run(list: string, flags: Partial<Flags> = {}, mode = "resume" as const): LegCommand {
  const values = [...list];
  return { kind: "run", mode, list: { values, batch: 1, tag: 0 }, flags: { ...FLAGS, ...flags } };
}

const leg = (command: LegCommand, more: Partial<Leg> = {}): Leg => {
  return { run: "one", command, place: 1, release: START, ...more };
};

const cut = (act: Act, begun: number) => ({ interruption: { moment: { begun }, act } });

/** Plans are by item: the first of its value. */
function told(plans: { readonly [value: string]: Plan }, ...legs: readonly (Leg | Leg[])[]): Story {
  const named = Object.entries(plans).map(([value, plan]) => [`one ["${value}"] 1`, plan]);
  const steps = legs.map((each) => ({ legs: Array.isArray(each) ? each : [each] }));
  return { seed: 0, plans: Object.fromEntries(named), steps };
}

const FOURTEEN = "abcdefghijklmn";

export const TOLD: { readonly [promise: string]: Story } = {
  "items begin in list order": told({}, leg(run(FOURTEEN))),
  "items begin in list order, three at a time": told({}, leg(run(FOURTEEN, { jobs: 3 }))),
  "-k prints in list order": told({}, leg(run(FOURTEEN, { jobs: 3, keepOrder: true }))),
  "each item keeps its history when a finished list is reordered and grows": told(
    { b: failing },
    leg(run("ab", { retries: 1 })),
    leg(run("bac", { retries: 1 })),
  ),
  "a line inserted on top does not take the history of another item": told(
    { a: planned({ ...EASY, code: 3 }, { ...EASY, code: 3 }) },
    leg(run("ab", { retries: 0 })),
    leg(run("xab", { retries: 0 })),
  ),
  "an item that was removed is still done when it returns": told(
    {},
    leg(run("abc")),
    leg(run("ac")),
    leg(run("abc")),
  ),
  "kill -9, a line on top, resume: every item runs once": told(
    { b: held, c: held },
    leg(run("abcdef", { jobs: 2 }), { ...cut("kill cli", 3), release: NEVER }),
    leg(run("xabcdef", { jobs: 2 }), { release: { at: "later", ms: 500 } }),
  ),
  "kill -9 of command and spawner, a line on top, resume: every item runs once": told(
    { b: held, c: held },
    leg(run("abcdef", { jobs: 2 }), { ...cut("kill cli and spawner", 3), release: NEVER }),
    leg(run("xabcdef", { jobs: 2 }), { release: { at: "later", ms: 500 } }),
  ),
  "tasks that outlive a kill count against -j": told(
    { a: held, b: held },
    leg(run("abcdef", { jobs: 2 }), { ...cut("kill cli", 2), release: NEVER }),
    leg(run("abcdef", { jobs: 2 }), { release: { at: "later", ms: 1_000 } }),
  ),
  "-k waits for an item that is tried again": told(
    { a: planned({ ...EASY, code: 3 }) },
    leg(run("abcd", { jobs: 2, retries: 1, keepOrder: true })),
  ),
  "three kills and edits": told(
    { b: held, d: held },
    leg(run("abcdef", { jobs: 2 }), { ...cut("kill cli", 3), release: NEVER }),
    leg(run("xabcdef", { jobs: 2 }), { ...cut("kill cli", 1), release: { at: "interruption" } }),
    leg(run("yxabcdef", { jobs: 2 }), { ...cut("kill cli", 2) }),
    leg(run("zyxabcdef", { jobs: 2 })),
  ),
  "--halt now: items that never started are not run": told(
    { b: failing, c: held, d: held },
    leg(run("abcdefghij", { jobs: 4, halt: "now" }), { release: { at: "later", ms: 3_000 } }),
  ),
  "--halt soon: running items finish and count": told(
    { b: failing, c: held },
    leg(run("abcdefghij", { jobs: 2, halt: "soon" }), { release: { at: "later", ms: 1_500 } }),
    leg({ kind: "retry" }),
  ),
  "each run has its own surroundings": told({ a: held }, [
    leg(run("ab"), { release: { at: "others" } }),
    leg(run("cd"), { run: "two", place: 2 }),
  ]),
  "--resume brings its own surroundings though the spawner is an old one": told(
    { a: held },
    leg(run("ab"), { ...cut("kill cli", 1), release: NEVER }),
    leg(run("xab"), { place: 2 }),
  ),
  "an item whose exit code nobody could record runs again": told(
    { a: held },
    leg(run("ab"), { ...cut("kill slot", 1), release: { at: "interruption" } }),
  ),
  "after a kill of everything the item that ran runs again": told(
    { a: held },
    leg(run("ab"), { ...cut("kill all", 1), release: NEVER }),
    leg(run("ab")),
  ),
  "SIGTERM while the last item runs ends the command": told(
    { b: held },
    leg(run("ab"), { ...cut("terminate", 2), release: { at: "interruption" } }),
    leg(run("ab")),
  ),
  "Ctrl-C twice: what was stopped does not count as an attempt": told(
    { a: held },
    leg(run("ab", { retries: 1 }), { ...cut("interrupt twice", 1), release: NEVER }),
    leg(run("ab", { retries: 1 })),
  ),
  "SIGTERM: an item without retries that was stopped is run by the next resume": told(
    { a: held },
    leg(run("ab"), { ...cut("terminate", 1), release: NEVER }),
    leg(run("ab")),
  ),
  "a retry runs what failed and what is named, and nothing else": told(
    { b: failing },
    leg(run("abc")),
    leg({ kind: "retry" }),
    leg({ kind: "retry", indexes: [2] }),
  ),
  "a retry after Ctrl-C goes on with the run": told(
    { a: failing, b: held },
    leg(run("abc"), { ...cut("interrupt", 2), release: { at: "interruption" } }),
    leg({ kind: "retry" }),
    leg(run("abc")),
  ),
  "a replaced run starts anew": told(
    {},
    leg(run("ab")),
    leg({ ...run("ba"), mode: "replace" } as LegCommand),
  ),
  "when the command that hosts the engine is killed, another run goes on": told(
    { a: held },
    [
      leg(run("ab"), { ...cut("kill cli", 1), release: NEVER }),
      leg(run("cdef"), { run: "two", place: 2 }),
    ],
    leg(run("ab")),
  ),
};
