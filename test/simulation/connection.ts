/**
 * A controller's client on a bad network: requests are rejected, answers are lost after the request
 * took effect, watches are delayed, broken and expired. It does only what a real network can do:
 * events of one resource keep their order, and none is lost unless the watch breaks.
 *
 * It also records how much the controller can know: everything that reaches the controller passes
 * through here.
 */
import type {
  Client,
  Closable,
  ListOf,
  ListRequest,
  Name,
  ResourceType,
  WatchHandlers,
  WatchRequest,
} from "../../src/api/client.ts";
import { ApiError } from "../../src/api/errors.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { pods } from "../../src/api/resources.ts";
import type { ManualClock } from "../../src/base/manual-clock.ts";
import type { Chance } from "./chance.ts";
import { type Actor, type Call, ownerOf } from "./history.ts";
import { Runs } from "./runs.ts";
import type { SimulatedServer } from "./server.ts";
import { openStream, type Stream } from "./stream.ts";
import type { Weather } from "./weather.ts";

export interface Surroundings {
  readonly clock: ManualClock;
  readonly chance: Chance;
  readonly weather: Weather;
  /** Undefined while the server is down. */
  readonly server: () => SimulatedServer | undefined;
  /** Runs something on the server in the name of an actor. */
  readonly perform: <T>(actor: Actor, call: Call | undefined, act: () => T) => T;
  /** Increases whenever time moves or something happens. */
  readonly step: () => number;
  readonly note: (line: string) => void;
  /** Reports something that must not happen. */
  readonly blame: (text: string) => void;
}

type Asking<T> = (client: Client) => Promise<T>;

export class Connection {
  readonly client: Client;
  readonly #flying = new Set<(error: Error) => void>();
  readonly #streams = new Set<Stream>();
  readonly #runs: Runs;
  /** The owner of each object, as far as the controller has seen it. */
  readonly #jobs = new Map<string, string>();
  #isCut = false;

  constructor(
    private readonly around: Surroundings,
    private readonly actor: Actor,
  ) {
    this.#runs = new Runs(around);
    this.client = {
      get: (type, name) => this.#ask(this.#jobOf(type, name), (client) => client.get(type, name)),
      list: (type, request) => this.#list(type, request),
      watch: (type, request, handlers) => this.#watch(type, request, handlers),
      create: (type, object) =>
        this.#ask(ownerOf(object), (client) => client.create(type, object), type),
      update: (type, object) =>
        this.#ask(object.metadata.uid, (client) => client.update(type, object), type),
      updateStatus: (type, object) =>
        this.#ask(object.metadata.uid, (client) => client.updateStatus(type, object), type),
      finalize: (type, object) => this.#ask("", (client) => client.finalize(type, object), type),
      patch: (type, name, request) =>
        this.#ask(
          adopterIn(request.body) ?? this.#jobOf(type, name),
          (client) => client.patch(type, name, request),
          type,
        ),
      delete: (type, name, request) =>
        this.#ask(
          this.#jobOf(type, name),
          (client) => client.delete(type, name, request ?? {}),
          type,
        ),
      requestToken: (account, spec) =>
        this.#ask(undefined, (client) => client.requestToken(account, spec)),
      bind: (pod, node) => this.#ask(this.#jobOf(pods, pod), (client) => client.bind(pod, node)),
      durable: async () => {},
    };
  }

  /** The controller is gone: its requests in flight never arrive, and nobody receives answers. */
  cut(): void {
    this.#isCut = true;
    for (const stream of this.#streams) stream.close();
    this.#flying.clear();
  }

  serverDied(): void {
    for (const stream of [...this.#streams]) stream.end(new Error("socket hang up"));
    for (const fail of [...this.#flying]) fail(new Error("socket hang up"));
  }

  async #list<T extends KubeObject>(
    type: ResourceType<T>,
    request?: ListRequest,
  ): Promise<ListOf<T>> {
    const list = await this.#ask(undefined, (client) => client.list(type, request));
    this.#runs.saw(type.resource, list.resourceVersion);
    for (const object of list.items) this.#learn(type, object);
    return list;
  }

  #watch<T extends KubeObject>(
    type: ResourceType<T>,
    request: WatchRequest,
    handlers: WatchHandlers<T>,
  ): Closable {
    const stream = openStream(this.around, type, request, {
      onEvent: (event) => {
        this.#runs.saw(type.resource, event.object.metadata.resourceVersion ?? "");
        this.#learn(type, event.object);
        handlers.onEvent(event);
      },
      onEnd: (error) => {
        this.#streams.delete(stream);
        if (!this.#isCut) handlers.onEnd(error);
      },
    });
    this.#streams.add(stream);
    return {
      close: () => {
        this.#streams.delete(stream);
        stream.close();
      },
    };
  }

  #learn({ resource }: ResourceType, object: KubeObject): void {
    const job = resource === "jobs" ? object.metadata.uid : ownerOf(object);
    if (job !== undefined) this.#jobs.set(`${resource}/${object.metadata.name}`, job);
  }

  /** The Job to which a request about a Job or its pods belongs; undefined: none. */
  #jobOf({ resource }: ResourceType, { name }: Name): string | undefined {
    return this.#jobs.get(`${resource}/${name}`);
  }

  #ask<T>(jobUid: string | undefined, asking: Asking<T>, written?: ResourceType): Promise<T> {
    if (this.#isCut) return new Promise(() => {});
    const { weather } = this.around;
    const isOfSync = this.actor === "job" && written?.resource !== "events";
    const about = isOfSync ? jobUid : undefined;
    const call = about === undefined ? undefined : this.#runs.begin(about);
    const answer = weather.isRemote
      ? this.#askRemotely(asking, call, written !== undefined)
      : this.#askLocally(asking, call);
    if (about === undefined) return answer;
    const isAboutPods = written?.resource === "pods";
    answer.then(
      () => this.#runs.end(about, false),
      (error: Error) => {
        this.#runs.end(about, isAboutPods && !isNotFound(error));
        if (isMistake(error, written))
          this.around.blame(`the controller asks wrongly: ${error.message}`);
      },
    );
    return answer;
  }

  #askLocally<T>(asking: Asking<T>, call: Call | undefined): Promise<T> {
    const server = this.around.server();
    if (!server) return new Promise(() => {});
    return this.around.perform(this.actor, call, () => asking(server.client));
  }

  #askRemotely<T>(asking: Asking<T>, call: Call | undefined, isWrite: boolean): Promise<T> {
    const { clock, chance, weather, note } = this.around;
    const refusal = chance.happens(weather.refusals) ? drawRefusal(chance, isWrite) : undefined;
    const isLost = isWrite && chance.happens(weather.lostAnswers);
    const travelMs = () => chance.between(0, weather.travelMs);
    return new Promise<T>((resolve, reject) => {
      const settle = (act: () => void) => {
        if (!this.#flying.delete(fail)) return;
        act();
      };
      const fail = (error: Error) => settle(() => reject(error));
      this.#flying.add(fail);
      const arrive = async () => {
        if (this.#isCut || !this.#flying.has(fail)) return;
        const server = this.around.server();
        if (!server) return fail(new Error("connect ECONNREFUSED"));
        if (refusal) {
          note(`${this.actor} is refused: ${refusal.message}`);
          return fail(refusal);
        }
        const answer = this.around.perform(this.actor, call, () => asking(server.client));
        const outcome = await answer.then(
          (value) => () => resolve(value),
          (error: Error) => () => reject(error),
        );
        await server.store.durable(server.store.revision);
        if (isLost) note(`${this.actor} hears no answer`);
        const heard = isLost ? () => reject(TIMEOUT) : outcome;
        clock.schedule(travelMs(), () => {
          if (!this.#isCut) settle(heard);
        });
      };
      clock.schedule(travelMs(), () => void arrive());
    });
  }
}

const TIMEOUT = new Error("the request timed out");

function drawRefusal(chance: Chance, isWrite: boolean): Error {
  const refusals = [
    new ApiError(500, "InternalError", "an error on the server has prevented it"),
    new ApiError(429, "TooManyRequests", "too many requests, please try again later"),
    new ApiError(504, "Timeout", "the server was unable to return a response in time"),
    new Error("connect ETIMEDOUT"),
  ];
  const conflict = new ApiError(409, "Conflict", "the object has been modified");
  return chance.pick(isWrite ? [...refusals, conflict] : refusals);
}

function isNotFound(error: Error): boolean {
  return error instanceof ApiError && error.reason === "NotFound";
}

/** A status that every server rejects: the controller should not have sent it. */
function isMistake(error: Error, written: ResourceType | undefined): boolean {
  if (written?.resource !== "jobs") return false;
  return error instanceof ApiError && (error.code === 400 || error.code === 422);
}

function adopterIn(body: unknown): string | undefined {
  const { metadata } = (body ?? {}) as KubeObject;
  return metadata?.ownerReferences?.[0]?.uid;
}
