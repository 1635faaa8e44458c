/** The containers of one engine that are ours: made, begun, looked at, told to stop, removed. */
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import {
  ERROR_LOG_LABEL,
  IMAGE_LABEL,
  LOG_LABEL,
  OWNER_LABEL,
  PLACE_LABEL,
  POD_LABEL,
  RUN_LABEL,
} from "./container-body.ts";
import { type EngineApi, EngineError } from "./engine-api.ts";

export interface ContainerState {
  /** It ran, and has ended; between its start and its end an engine has other words, too. */
  readonly isOver: boolean;
  /** Made, and never begun. */
  readonly isNew: boolean;
  readonly pid: number;
  readonly exitCode: number;
  readonly isOutOfMemory: boolean;
  readonly startedMs: number;
  readonly finishedMs: number;
  readonly hasTerminal: boolean;
  readonly logFile: string;
  readonly errorFile?: string;
  readonly imageId: string;
  readonly place?: string;
}

export interface ListedContainer {
  readonly id: string;
  /** Absent: it holds the network of its pod. */
  readonly run: string | undefined;
  readonly podUid: string;
}

interface Inspected {
  readonly State: {
    readonly Status: string;
    readonly Running: boolean;
    readonly Pid: number;
    readonly ExitCode: number;
    readonly OOMKilled: boolean;
    readonly StartedAt: string;
    readonly FinishedAt: string;
  };
  readonly Config: { readonly Tty: boolean; readonly Labels: { readonly [name: string]: string } };
}

const OVER: ReadonlySet<string> = new Set(["exited", "stopped", "dead"]);
const GONE = [404, 409];

export class Containers {
  constructor(
    private readonly api: EngineApi,
    private readonly owner: string,
  ) {}

  /** One of that name is left by a server that died while it made it, and is of no use. */
  async create(name: string, body: object): Promise<string> {
    const request = { method: "POST", path: `/containers/create?name=${name}`, body } as const;
    try {
      return (await this.api.ask<{ Id: string }>(request)).Id;
    } catch (error) {
      if (!(error instanceof EngineError) || !isNameTaken(error)) throw error;
      await this.remove(name);
      return (await this.api.ask<{ Id: string }>(request)).Id;
    }
  }

  async start(id: string): Promise<void> {
    await this.api.ask({ method: "POST", path: `/containers/${id}/start` });
  }

  /** Everything it prints from now on, and what is written to it. */
  async attach(id: string, { stdin }: { readonly stdin: boolean }): Promise<Socket> {
    const query = `stream=1&stdout=1&stderr=1${stdin ? "&stdin=1" : ""}`;
    const path = `/containers/${id}/attach?${query}`;
    const { socket, head } = await this.api.hijack({ method: "POST", path });
    if (head.length > 0) socket.unshift(head);
    return socket;
  }

  /** Everything it printed since it began, and will. */
  logs(id: string, { follow }: { readonly follow: boolean }): Promise<Readable> {
    const path = `/containers/${id}/logs?stdout=1&stderr=1&follow=${follow ? 1 : 0}`;
    return this.api.follow({ method: "GET", path });
  }

  async inspect(id: string): Promise<ContainerState | undefined> {
    const found = await this.api.askIfThere<Inspected>({
      method: "GET",
      path: `/containers/${id}/json`,
    });
    if (!found) return undefined;
    const { State, Config } = found;
    const { Labels } = Config;
    const errorFile = Labels[ERROR_LOG_LABEL];
    const place = Labels[PLACE_LABEL];
    return {
      isOver: OVER.has(State.Status),
      isNew: State.Status === "created" || State.Status === "initialized",
      pid: State.Pid,
      exitCode: State.ExitCode,
      isOutOfMemory: State.OOMKilled,
      startedMs: toMs(State.StartedAt),
      finishedMs: toMs(State.FinishedAt),
      hasTerminal: Config.Tty,
      logFile: Labels[LOG_LABEL] ?? "/dev/null",
      ...(errorFile === undefined ? {} : { errorFile }),
      imageId: Labels[IMAGE_LABEL] ?? "",
      ...(place === undefined ? {} : { place }),
    };
  }

  /** Engines were seen to answer before it is so: whoever needs to know looks. */
  async wait(id: string): Promise<void> {
    const path = `/containers/${id}/wait?condition=not-running`;
    const answer = await this.api.follow({ method: "POST", path });
    answer.resume();
    await new Promise<void>((resolve) => answer.once("close", resolve));
  }

  /** One that is over is no error. */
  async signal(id: string, signal: string): Promise<void> {
    await this.unlessGone({ method: "POST", path: `/containers/${id}/kill?signal=${signal}` });
  }

  /** With the volumes that its image made for it. */
  async remove(id: string): Promise<void> {
    await this.unlessGone({ method: "DELETE", path: `/containers/${id}?force=true&v=true` });
  }

  /** All of ours, or those of one pod. */
  async list(podUid?: string): Promise<readonly ListedContainer[]> {
    const ofPod = podUid === undefined ? [] : [`${POD_LABEL}=${podUid}`];
    const filters = JSON.stringify({ label: [`${OWNER_LABEL}=${this.owner}`, ...ofPod] });
    const path = `/containers/json?all=true&filters=${encodeURIComponent(filters)}`;
    const all = await this.api.ask<readonly { Id: string; Labels: Record<string, string> }[]>({
      method: "GET",
      path,
    });
    return all.map(({ Id, Labels }) => {
      return { id: Id, run: Labels[RUN_LABEL], podUid: Labels[POD_LABEL] ?? "" };
    });
  }

  private async unlessGone(request: {
    readonly method: "POST" | "DELETE";
    readonly path: string;
  }): Promise<void> {
    try {
      await this.api.ask(request);
    } catch (error) {
      if (!(error instanceof EngineError) || !GONE.includes(error.status)) throw error;
    }
  }
}

/** Docker answers 409; Podman 500, and says so. */
function isNameTaken({ status, message }: EngineError): boolean {
  return status === 409 || /name .* (?:is )?(?:already )?in use/.test(message);
}

function toMs(time: string): number {
  const ms = Date.parse(time);
  return Number.isNaN(ms) || ms < 0 ? 0 : ms;
}
