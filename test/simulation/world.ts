/**
 * A world made from one seed: the real server, the real controllers, a simulated disk, network,
 * node and users, and a manual clock. The seed determines the order of everything, so the same seed
 * always produces the same order.
 *
 * Reading order: this file, weather and connection (what can go wrong), node and people (what
 * happens), history (what is true), model/referee (what must hold).
 */
import type { Job } from "../../src/api/generated/batch.ts";
import type { Pod } from "../../src/api/generated/core.ts";
import { jobs, pods } from "../../src/api/resources.ts";
import { describeError } from "../../src/base/describe-error.ts";
import { type Log, silentLog } from "../../src/base/log.ts";
import { ManualClock } from "../../src/base/manual-clock.ts";
import { Metrics } from "../../src/base/metrics.ts";
import { seededRandom } from "../../src/base/random.ts";
import { garbageCollector } from "../../src/controllers/garbage/garbage-collector.ts";
import { jobController } from "../../src/controllers/job/job-controller.ts";
import type { Controller, RunningController } from "../../src/controllers/runtime/controller.ts";
import { ttlController } from "../../src/controllers/ttl/ttl-controller.ts";
import type { Change } from "../../src/store/types.ts";
import type { DroppingJournal } from "../durability/dropping-journal.ts";
import { Chance, mixed } from "./chance.ts";
import { Connection, type Surroundings } from "./connection.ts";
import { describe } from "./describe.ts";
import { type Actor, type Call, History, ownerOf } from "./history.ts";
import { forecastOf, forecastProblem } from "./model/forecast.ts";
import { Referee } from "./model/referee.ts";
import { SimulatedNode } from "./node.ts";
import { People } from "./people.ts";
import { openServer, type SimulatedServer } from "./server.ts";
import { drawShape, type Plan, type Shape } from "./shapes.ts";
import { Trace } from "./trace.ts";
import { clearUp, drawWeather, type Weather } from "./weather.ts";

/** A world that has not come to rest after this many steps never will. */
const MAX_STEPS = 60_000;
const CHAOS_MS = 240_000;
const BUGS = [TypeError, ReferenceError, RangeError, SyntaxError];

export interface Problem {
  /** The Job that has the problem, or "". */
  readonly job: string;
  readonly text: string;
}

interface Running {
  readonly actor: Actor;
  readonly connection: Connection;
  controller?: RunningController;
}

export class World {
  readonly trace = new Trace();
  readonly problems: Problem[] = [];
  readonly history = new History();
  /**
   * The kinds of things that happened in this world: a world in which nothing happens proves
   * nothing.
   */
  readonly seen = new Set<string>();
  private readonly clock = new ManualClock();
  private readonly weather: Weather;
  private readonly shapes: readonly Shape[];
  private readonly node: SimulatedNode;
  private readonly people: People;
  private readonly referee: Referee;
  private readonly running: Running[] = [];
  private readonly random;
  /** Retries would hide bugs: an error that no server and no network produces is reported. */
  private readonly log: Log = {
    ...silentLog,
    child: () => this.log,
    warn: (message, { error } = {}) => {
      const isBug = error instanceof Error && BUGS.some((bug) => error instanceof bug);
      if (isBug) this.blame({ job: "", text: `${message}: ${error.stack}` });
    },
    error: (message, { error } = {}) => {
      this.blame({ job: "", text: `${message}: ${describeError(error)}` });
    },
  };
  private server: SimulatedServer | undefined;
  private current: { readonly actor: Actor; readonly call: Call | undefined } | undefined;
  private steps = 0;
  private hasServerCrashed = false;

  constructor(private readonly seed: number) {
    const chance = new Chance(seed, "world");
    this.random = seededRandom(mixed(seed, "names"));
    this.weather = drawWeather(new Chance(seed, "weather"));
    const names = ["amber", "birch", "coral", "dune"].slice(0, chance.between(1, 4));
    this.shapes = names.map((name) => drawShape(seed, name));
    this.referee = new Referee(this.history, (problem) => this.blame(problem));
    this.node = new SimulatedNode(this.around("node"), (pod) => this.planOf(pod));
    this.people = new People(this.around("people"), this.shapes);
  }

  async run(): Promise<void> {
    await this.startServer();
    await this.startControllers();
    this.people.plan(CHAOS_MS);
    this.planCrashes();
    this.clock.schedule(CHAOS_MS, () => {
      this.note("the weather clears up");
      clearUp(this.weather);
      this.people.resume();
    });
    await this.untilRest();
    if (this.problems.length === 0) this.checkRest();
    for (const { connection } of this.running) connection.cut();
  }

  private async untilRest(): Promise<void> {
    for (;;) {
      await settled();
      if (this.problems.length > 0) return;
      const waitMs = this.clock.untilNextMs();
      if (waitMs === undefined) return;
      this.steps++;
      if (this.steps > MAX_STEPS) {
        this.blame({ job: "", text: "the world does not come to rest" });
        return;
      }
      this.clock.advance(waitMs);
    }
  }

  private checkRest(): void {
    this.referee.checkRest(this.clock.nowMs());
    // A pod that was created before an answer or the server was lost is an attempt that nobody
    // knows of, so the forecast does not apply.
    if (this.weather.mayLoseAnswers || this.hasServerCrashed) return;
    for (const shape of this.shapes) {
      const { name = "" } = shape.body.metadata;
      const forecast = this.people.touched.has(name) ? undefined : forecastOf(shape);
      const job = this.history.entries.findLast(({ object }) => object.metadata.name === name);
      const text = forecast && job && forecastProblem(forecast, job.object as Job);
      if (text) this.blame({ job: name, text: `at rest, ${text}` });
      if (forecast && job) this.seen.add(`forecast ${forecast.reason}`);
    }
  }

  private planCrashes(): void {
    const chance = new Chance(this.seed, "crashes");
    const crash = (count: number, act: () => void) => {
      for (let left = count; left > 0; left--) {
        this.clock.schedule(chance.between(1_000, CHAOS_MS - 1_000), act);
      }
    };
    crash(chance.pick([0, 0, 1, 2]), () => void this.crashControllers());
    crash(chance.pick([0, 0, 1, 2]), () => void this.crashServer(chance.between(1, 20_000)));
  }

  private async crashControllers(): Promise<void> {
    if (!this.server && !this.weather.isRemote) return;
    this.note("the controllers crash");
    this.stopControllers();
    await this.startControllers();
  }

  private async crashServer(downMs: number): Promise<void> {
    if (!this.server) return;
    this.note(`the server crashes for ${downMs} ms`);
    this.hasServerCrashed = true;
    const dying = this.server;
    this.server = undefined;
    if (!this.weather.isRemote) this.stopControllers();
    const { revision, disk } = await dying.kill();
    this.note(`what came after ${revision} is lost`);
    this.history.cutAfter(revision);
    this.referee.cutAfter(revision);
    for (const { connection } of this.running) connection.serverDied();
    this.clock.schedule(downMs, () => void this.restart(disk));
  }

  private async restart(disk: DroppingJournal): Promise<void> {
    await this.startServer(disk);
    if (!this.weather.isRemote) await this.startControllers();
  }

  private async startServer(disk?: DroppingJournal): Promise<void> {
    const chance = new Chance(this.seed, `disk ${this.steps}`);
    const syncMs = chance.pick([1, 20, 200]);
    const options = { clock: this.clock, random: this.random, chance, syncMs };
    const server = await openServer(options, disk);
    for (const resource of ["jobs.batch", "pods"]) {
      server.store.subscribe(resource, server.store.revision, (change) => this.witness(change));
    }
    this.server = server;
    this.note("the server is up");
    this.node.onServer(server);
  }

  private async startControllers(): Promise<void> {
    const all: readonly [Actor, Controller][] = [
      ["job", jobController()],
      ["garbage", garbageCollector([jobs, pods])],
      ["ttl", ttlController],
    ];
    for (const [actor, controller] of all) {
      const connection = new Connection(this.around(`${actor} ${this.steps}`), actor);
      const running: Running = { actor, connection };
      this.running.push(running);
      const { client } = connection;
      const { clock, random } = this;
      const context = { client, clock, random, log: this.log, metrics: new Metrics() };
      void controller.start(context).then((started) => {
        if (this.running.includes(running)) running.controller = started;
        else started.stop();
      });
    }
  }

  private stopControllers(): void {
    for (const { connection, controller } of this.running.splice(0)) {
      connection.cut();
      controller?.stop();
    }
  }

  private witness({ revision, type, object, previous }: Change): void {
    const { actor, call } = this.current ?? { actor: "user", call: undefined };
    const entry = {
      revision,
      type,
      object,
      actor,
      atMs: this.clock.nowMs(),
      ...(previous ? { previous } : {}),
      ...(call ? { call } : {}),
    };
    this.trace.add(this.clock.monotonicMs(), `${actor}: ${describe(entry)}`);
    if (object.kind === "Job") this.noteConditions(object as Job);
    this.history.add(entry);
    this.referee.judge(entry);
    if (object.kind === "Pod" && type !== "DELETED") this.node.onPod(object as Pod);
  }

  private noteConditions({ status }: Job): void {
    for (const { type, status: is, reason } of status.conditions ?? []) {
      this.seen.add(`${type} ${is} ${reason}`);
    }
  }

  private around(name: string): Surroundings {
    return {
      clock: this.clock,
      chance: new Chance(this.seed, name),
      weather: this.weather,
      server: () => this.server,
      step: () => this.steps,
      note: (line) => this.note(line),
      blame: (text) => this.blame({ job: "", text }),
      perform: (actor, call, act) => {
        const before = this.current;
        this.current = { actor, call };
        try {
          return act();
        } finally {
          this.current = before;
        }
      },
    };
  }

  private planOf(pod: Pod): Plan {
    const name = pod.metadata.generateName ?? "";
    const shape = this.shapes.find(({ body }) => name.startsWith(`${body.metadata.name}-`));
    const [first] = this.shapes;
    const plan = (shape ?? first)?.plan;
    if (!plan) throw new Error(`no plan for ${ownerOf(pod)}`);
    return plan;
  }

  private note(line: string): void {
    this.seen.add(line.split(" ", 3).join(" "));
    this.trace.add(this.clock.monotonicMs(), line);
  }

  private blame(problem: Problem): void {
    this.problems.push(problem);
    this.note(`WRONG: ${problem.text}`);
  }
}

/** Resolves when everything that can happen without time passing has happened. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
