import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Place, type Started, until } from "./tally-run.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
  mkdirSync(place.path("go"));
});
afterEach(() => place.dispose());

const lines = (text: string) => text.split("\n").filter(Boolean);
const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(at + 1));
const sorted = (items: readonly string[]) => [...items].sort((a, b) => Number(a) - Number(b));
const sh = (script: string) => ["--", "sh", "-c", script];
const letGo = (item: string) => writeFileSync(place.path("go", item), "");

/** Notes that it began, and goes on when it may. */
const PATIENT = 'echo "$ITEM" >> begun; until [ -e "go/$ITEM" ]; do sleep 0.02; done';

function begun(): readonly string[] {
  try {
    return lines(readFileSync(place.path("begun"), "utf8"));
  } catch {
    return [];
  }
}

/** A run of patient items, of which the test ends one after the other. */
class Stepped {
  private readonly left: string[];
  private readonly running: string[] = [];

  constructor(
    private readonly items: readonly string[],
    private readonly jobs: number,
  ) {
    this.left = [...items];
  }

  /** Waits until as many have begun as may: these are the first of the list. */
  async check(): Promise<void> {
    while (this.running.length < this.jobs && this.left.length > 0) {
      this.running.push(this.left.shift() ?? "");
    }
    const expected = this.items.slice(0, this.items.length - this.left.length);
    await until(() => begun().length >= expected.length);
    expect(sorted(begun())).toEqual(expected);
  }

  /** Ends the youngest that runs, the oldest, and so on. */
  async step(count: number): Promise<void> {
    for (let at = 0; at < count; at++) {
      await this.check();
      const leaving = at % 2 === 0 ? this.running.pop() : this.running.shift();
      if (leaving !== undefined) letGo(leaving);
    }
  }
}

describe("items begin in the order of the list", () => {
  test("one at a time", async () => {
    const items = [..."abcdefghijklm"];
    const args = ["run", "-q", "-j1", ...sh('echo "$ITEM" >> begun'), ":::", ...items];
    expect((await place.run(args)).code).toBe(0);
    expect(begun()).toEqual(items);
  });

  test("several at a time: when one ends, the next of the list begins", async () => {
    const run = place.start(["run", "-q", "-j3", "--range", "1-25", ...sh(PATIENT)]);
    await new Stepped(numbers(25), 3).step(25);
    expect((await run.ended).code).toBe(0);
  });

  test("also after kill -9 and resume", async () => {
    const args = ["run", "r", "-q", "--resume", "-j3", "--range", "1-25", ...sh(PATIENT)];
    const steps = new Stepped(numbers(25), 3);
    for (let kills = 0; kills < 3; kills++) {
      const run = place.start(args);
      await steps.step(4);
      run.process.kill("SIGKILL");
      await run.ended;
    }
    const last = place.start(args);
    await steps.step(13);
    expect((await last.ended).code).toBe(0);
  });

  test("also when another process takes the place of a killed one", async () => {
    const host = await startHost();
    const run = place.start(["run", "r", "-q", "-j3", "--range", "1-25", ...sh(PATIENT)]);
    const steps = new Stepped(numbers(25), 3);
    await steps.step(4);
    host.process.kill("SIGKILL");
    await host.ended;
    await steps.step(21);
    expect((await run.ended).code).toBe(0);
  });

  test("and the start times on record say so", async () => {
    const flags = ["-q", "-j8", "--retries", "0", "--range", "1-150"];
    expect((await place.run(["run", "r", ...flags, ...sh("exit $((ITEM % 2))")])).code).toBe(1);
    const { out } = await place.run(["results", "r", "--format", "jsonl"]);
    const starts = lines(out).map((line) => (JSON.parse(line) as { readonly start: string }).start);
    expect(starts.length).toBe(150);
    expect(starts).toEqual([...starts].sort());
  });
});

describe("--keep-order prints in the order of the list", () => {
  /** Of two items next to each other the second ends first, as far as that item. */
  const swapped = (last: number) =>
    `[ $((ITEM % 2)) = 1 ] && [ $ITEM -lt ${last} ] && ` +
    "until [ -e go/$((ITEM + 1)) ]; do sleep 0.02; done; echo $ITEM; touch go/$ITEM";
  const SWAPPED = swapped(30);
  const keeping = ["run", "r", "-q", "-k", "-j4", "--range", "1-30"];

  test("whatever the order in which items end", async () => {
    const { code, out } = await place.run([...keeping, ...sh(SWAPPED)]);
    expect([code, lines(out)]).toEqual([0, numbers(30)]);
  });

  test("as events, too", async () => {
    const { out } = await place.run([...keeping, "-o", "json", ...sh(SWAPPED)]);
    const events = lines(out).map((line) => JSON.parse(line));
    const items = events.filter(({ type }) => type === "item").map(({ item }) => item);
    expect(items).toEqual(numbers(30));
  });

  test("with items that fail, and items that are not run", async () => {
    const script = `${swapped(8)}; [ $ITEM != 8 ]`;
    const halting = ["--retries", "0", "--halt", "soon"];
    const { code, out } = await place.run([...keeping, ...halting, ...sh(script)]);
    expect(code).toBe(1);
    expect(lines(out).slice(0, 8)).toEqual(numbers(8));
    expect(lines(out)).toEqual(sorted(lines(out)));
  });

  test("also when the engine is another process, which is killed", async () => {
    const host = await startHost();
    const run = place.start([...keeping, ...sh(SWAPPED)]);
    await until(() => lines(run.out()).length > 4);
    host.process.kill("SIGKILL");
    await host.ended;
    const { code, out } = await run.ended;
    expect([code, lines(out)]).toEqual([0, numbers(30)]);
  });

  test("and after resume what is left of it", async () => {
    const script = `echo $ITEM >> begun; ${SWAPPED}`;
    const run = place.start([
      ...keeping,
      ...sh(`${script}; until [ -e go/on ]; do sleep 0.02; done`),
    ]);
    await until(() => begun().length === 4);
    run.process.kill("SIGKILL");
    await run.ended;
    letGo("on");
    const flags = [...keeping, "--resume"];
    const { code, out } = await place.run([...flags, ...sh(script)]);
    expect([code, lines(out)]).toEqual([0, numbers(30).slice(4)]);
  });
});

/** A run in another process, whose engine others use. */
async function startHost(): Promise<Started> {
  const host = place.start(["run", "host", "-q", "--", "sleep", "60", ":::", "x"]);
  await until(() => existsSync(place.path(".tally", "tally.sock")));
  return host;
}
