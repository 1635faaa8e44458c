/**
 * Several runtimes as one: processes and sandboxes by the usual one, containers each by the engine
 * that its pod has. What is not known to be a container is the usual one's.
 */
import type { Closable } from "../../api/client.ts";
import { formatRunName, type RunName } from "../spawner/protocol.ts";
import type {
  CommandBeside,
  ExecRequest,
  Exit,
  RunId,
  Running,
  RunRequest,
  RunStreams,
  Runtime,
  StopSignal,
} from "./runtime.ts";

export class SeveralRuntimes implements Runtime {
  readonly name: string;
  /** The engine of every run that is a container. */
  private readonly engineOf = new Map<RunName, Runtime>();

  constructor(
    private readonly usual: Runtime,
    /** By name. */
    private readonly engines: ReadonlyMap<string, Runtime>,
  ) {
    this.name = usual.name;
  }

  async start(request: RunRequest): Promise<Running> {
    if (!request.engine) return this.usual.start(request);
    const engine = this.engines.get(request.engine.name);
    if (!engine) throw new Error(`there is no container engine ${request.engine.name}`);
    this.engineOf.set(formatRunName(request.id), engine);
    try {
      return await engine.start(request);
    } catch (error) {
      this.engineOf.delete(formatRunName(request.id));
      throw error;
    }
  }

  signal(id: RunId, signal: StopSignal): Promise<void> {
    return this.find(id).signal(id, signal);
  }

  exec(request: ExecRequest, signal: AbortSignal): Promise<number> {
    return this.find(request.of).exec(request, signal);
  }

  inNetwork(id: RunId): readonly string[] | undefined {
    return this.find(id).inNetwork?.(id);
  }

  beside(request: ExecRequest): Promise<CommandBeside> | undefined {
    return this.find(request.of).beside?.(request);
  }

  streams(id: RunId): RunStreams | undefined {
    return this.find(id).streams?.(id);
  }

  /** An engine that does not answer now has its runs found by nobody: they are told as lost. */
  async recover(): Promise<{ readonly running: Running[]; readonly ended: Exit[] }> {
    const running: Running[] = [];
    const ended: Exit[] = [];
    for (const runtime of [this.usual, ...this.engines.values()]) {
      const found = await runtime.recover();
      running.push(...found.running);
      ended.push(...found.ended);
      if (runtime === this.usual) continue;
      for (const { id } of [...found.running, ...found.ended]) {
        this.engineOf.set(formatRunName(id), runtime);
      }
    }
    return { running, ended };
  }

  onExit(listener: (exit: Exit) => void): Closable {
    const all = [this.usual, ...this.engines.values()].map((runtime) => runtime.onExit(listener));
    return {
      close: () => {
        for (const each of all) each.close();
      },
    };
  }

  forget(id: RunId): void {
    this.find(id).forget(id);
    this.engineOf.delete(formatRunName(id));
  }

  release(podUid: string): void {
    for (const runtime of [this.usual, ...this.engines.values()]) runtime.release?.(podUid);
  }

  async close(how: { readonly leavesRunning: boolean }): Promise<void> {
    const all = [this.usual, ...this.engines.values()];
    await Promise.all(all.map((runtime) => runtime.close(how)));
  }

  private find(id: RunId): Runtime {
    return this.engineOf.get(formatRunName(id)) ?? this.usual;
  }
}
