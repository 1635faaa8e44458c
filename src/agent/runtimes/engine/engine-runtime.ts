/**
 * Runtime "docker" or "podman": containers of real images, through the API of an engine on this
 * machine. The engine owns them: they outlive the server, and the next one finds them by their
 * labels, with their output and how they ended.
 */
import { chmod, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { Closable } from "../../../api/client.ts";
import { StreamRefused } from "../../../api/stream-source.ts";
import type { Clock } from "../../../base/clock.ts";
import { describeError } from "../../../base/describe-error.ts";
import type { Log } from "../../../base/log.ts";
import { formatRunName, parseRunName, type RunName } from "../../spawner/protocol.ts";
import { enterNetworkOf } from "../../spawner/sandbox/enter.ts";
import type {
  ExecRequest,
  Exit,
  Mount,
  NamedContainer,
  RunId,
  Running,
  RunRequest,
  RunStreams,
  Runtime,
  StopSignal,
} from "../runtime.ts";
import { RunDelayed } from "../runtime.ts";
import { argumentsOf, type ContainerRequest, containerBody } from "./container-body.ts";
import type { ContainerState, Containers } from "./containers.ts";
import type { EngineApi } from "./engine-api.ts";
import type { EngineName, EngineNetwork } from "./engine-run.ts";
import { engineStream } from "./engine-streams.ts";
import { type ExecStreams, type OpenExec, openExec } from "./execs.ts";
import { exitOf } from "./exit-of.ts";
import type { FoundImage, Images } from "./images.ts";
import { copyOutput } from "./output-copier.ts";
import type { PodHolders } from "./pod-holders.ts";
import { rootProblem } from "./root-problem.ts";
import { startRefused } from "./start-failure.ts";

export interface EngineRuntimeOptions {
  readonly name: EngineName;
  readonly api: EngineApi;
  readonly containers: Containers;
  readonly holders: PodHolders;
  readonly images: Images;
  /** Tells our containers from those of others. */
  readonly owner: string;
  readonly clock: Clock;
  readonly log: Log;
}

interface Known {
  readonly container: string;
  readonly imageId: string;
  /** On this machine; unknown of one that was over at once. */
  pid?: number;
  exit?: Exit;
}

/** Where client libraries look for it. */
const ACCOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
const LOST = 137;
const SOON_MS = 1_000;
/** Another image of the same name may do. */
const UNFIT_AGAIN_MS = 10_000;
const HOLDER_AGAIN_MS = 5_000;

export class EngineRuntime implements Runtime {
  readonly name: EngineName;
  private readonly known = new Map<RunName, Known>();
  private readonly listeners = new Set<(exit: Exit) => void>();
  private readonly copies = new Map<Readable, Promise<void>>();
  private readonly removals = new Map<string, Promise<void>>();
  private isClosed = false;

  constructor(private readonly options: EngineRuntimeOptions) {
    this.name = options.name;
  }

  async start(request: RunRequest): Promise<Running> {
    if (!isContainer(request)) throw new Error("a run without an image");
    const { containers, images, owner } = this.options;
    const run = formatRunName(request.id);
    const image = await images.find(request.id.podUid, request.engine.image);
    refuseUnfit(request, image);
    const { network } = request.engine;
    const holder = network && (await this.holderOf(request, network));
    const debugged = this.debuggedBy(request);
    const body = containerBody(request, {
      owner,
      run,
      image,
      ...(holder === undefined ? {} : { holder }),
      ...(debugged === undefined ? {} : { debugged }),
      files: await this.supplied(request),
      isPodman: this.name === "podman",
    });
    const container = await containers.create(nameOf(request.id), body);
    const output = await this.begin(container);
    const known: Known = { container, imageId: image.imageId };
    this.known.set(run, known);
    const { logFile, errorFile } = request;
    const { hasTerminal } = request.engine;
    const targets = { logFile, ...(errorFile === undefined ? {} : { errorFile }), hasTerminal };
    const copied = this.copy(output, targets, { isTakenUp: false });
    void this.watch(request.id, known, copied);
    // One that is over by now may be too far gone to be looked at: it ran all the same.
    const state = await containers.inspect(container).catch(() => undefined);
    const { pid = 0, startedMs = this.nowMs() } = state ?? {};
    known.pid = pid;
    return { id: request.id, pid, startedMs, ...this.named(known) };
  }

  /** The life of the container that goes on. */
  private debuggedBy({ id, engine }: ContainerRequest): string | undefined {
    if (engine.debugged === undefined) return undefined;
    for (const [run, { container, exit }] of this.known) {
      const { podUid, container: name } = parseRunName(run);
      if (!exit && podUid === id.podUid && name === engine.debugged) return container;
    }
    return undefined;
  }

  /** Where it cannot be made, the pod waits as one whose turn has not come, as kubelet has it. */
  private async holderOf(
    { id, engine }: ContainerRequest,
    network: EngineNetwork,
  ): Promise<string> {
    try {
      return await this.options.holders.find(id.podUid, engine, network);
    } catch (error) {
      const message = `Failed to create pod sandbox: ${describeError(error)}`;
      engine.image.tell("Warning", "FailedCreatePodSandBox", message);
      throw new RunDelayed("ContainerCreating", "", HOLDER_AGAIN_MS);
    }
  }

  /** Attached before it begins: what it says first is part of what it says. */
  private async begin(container: string): Promise<Socket> {
    const { containers } = this.options;
    let output: Socket | undefined;
    try {
      output = await containers.attach(container, { stdin: false });
      await containers.start(container);
      return output;
    } catch (error) {
      output?.destroy();
      await containers.remove(container);
      throw startRefused(describeError(error));
    }
  }

  async signal(id: RunId, signal: StopSignal): Promise<void> {
    const known = this.known.get(formatRunName(id));
    if (known) await this.options.containers.signal(known.container, `SIG${signal}`);
  }

  async exec(request: ExecRequest, signal: AbortSignal): Promise<number> {
    const exec = await this.open(request, { stdin: false, tty: false });
    const stop = () => exec.socket.destroy();
    signal.addEventListener("abort", stop, { once: true });
    exec.socket.resume();
    await new Promise<void>((resolve) => exec.socket.once("close", resolve));
    signal.removeEventListener("abort", stop);
    return signal.aborted ? LOST : exec.exitCode();
  }

  inNetwork(id: RunId): readonly string[] | undefined {
    const { pid = 0 } = this.known.get(formatRunName(id)) ?? {};
    return pid > 0 ? enterNetworkOf(pid) : undefined;
  }

  streams(id: RunId): RunStreams {
    const container = this.containerOf(id);
    const { api, containers } = this.options;
    return {
      exec: async (request, wanted) => {
        const exec = await this.open(request, wanted).catch(refuseStream);
        const end = async () => ({ exitCode: await exec.exitCode() });
        return engineStream(exec.socket, wanted, { resize: exec.resize, end });
      },
      attach: async (wanted) => {
        const socket = await containers.attach(container, wanted).catch(refuseStream);
        const resize = (width: number, height: number) =>
          api.ask({
            method: "POST",
            path: `/containers/${container}/resize?w=${width}&h=${height}`,
          });
        return engineStream(socket, wanted, { resize, end: async () => ({}) });
      },
    };
  }

  private open(request: ExecRequest, streams: ExecStreams): Promise<OpenExec> {
    return openExec(this.options.api, this.containerOf(request.of), request, streams);
  }

  async recover(): Promise<{ readonly running: Running[]; readonly ended: Exit[] }> {
    const { containers, holders } = this.options;
    const all = await containers.list();
    const running: Running[] = [];
    const ended: Exit[] = [];
    for (const { id, run, podUid } of all) {
      if (run === undefined) holders.adopt(podUid, id);
      else await this.recoverRun(id, parseRunName(run), { running, ended });
    }
    const living = new Set([...running, ...ended].map(({ id }) => id.podUid));
    for (const { run, podUid } of all) {
      if (run === undefined && !living.has(podUid)) await holders.release(podUid);
    }
    return { running, ended };
  }

  onExit(listener: (exit: Exit) => void): Closable {
    this.listeners.add(listener);
    return { close: () => void this.listeners.delete(listener) };
  }

  forget(id: RunId): void {
    const run = formatRunName(id);
    const known = this.known.get(run);
    if (!known) return;
    this.known.delete(run);
    this.later(id.podUid, () => this.options.containers.remove(known.container));
  }

  release(podUid: string): void {
    const { holders, images } = this.options;
    images.forget(podUid);
    this.later(podUid, () => holders.release(podUid));
  }

  async close({ leavesRunning }: { readonly leavesRunning: boolean }): Promise<void> {
    this.isClosed = true;
    const { containers, holders, api } = this.options;
    // The next server goes on where the files end.
    if (leavesRunning) for (const output of this.copies.keys()) output.destroy();
    await Promise.all([...this.removals.values(), ...(leavesRunning ? this.copies.values() : [])]);
    if (!leavesRunning) {
      await Promise.all([...this.known.values()].map((each) => containers.remove(each.container)));
    }
    const isOver = !leavesRunning || (this.known.size === 0 && holders.wereUsed);
    if (isOver) await holders.close();
    api.close();
  }

  private async recoverRun(
    container: string,
    id: RunId,
    found: { readonly running: Running[]; readonly ended: Exit[] },
  ): Promise<void> {
    const { containers } = this.options;
    const state = await containers.inspect(container);
    if (!state || state.isNew) {
      await containers.remove(container);
      return;
    }
    const known: Known = { container, imageId: state.imageId, pid: state.pid };
    this.known.set(formatRunName(id), known);
    const { hasTerminal, logFile, errorFile } = state;
    const targets = { logFile, ...(errorFile === undefined ? {} : { errorFile }), hasTerminal };
    const output = containers.logs(container, { follow: !state.isOver });
    const copied = output.then((each) => this.copy(each, targets, { isTakenUp: true }));
    if (!state.isOver) {
      const { pid, startedMs, place } = state;
      const named = { ...this.named(known), runtime: this.name };
      found.running.push({ id, pid, startedMs, ...(place ? { place } : {}), ...named });
      // Not waited for: Podman answers when the container prints something, which may be never.
      void this.watch(
        id,
        known,
        copied.catch(() => {}),
      );
      return;
    }
    await copied;
    known.exit = { ...exitOf(id, state), ...this.named(known), runtime: this.name };
    found.ended.push(known.exit);
  }

  private async copy(...[output, targets, how]: Parameters<typeof copyOutput>): Promise<void> {
    const copied = copyOutput(output, targets, how);
    this.copies.set(output, copied);
    await copied;
    this.copies.delete(output);
  }

  /** Its output ends with it: then it is asked how it ended. */
  private async watch(id: RunId, known: Known, copied: Promise<unknown>): Promise<void> {
    const { containers, log } = this.options;
    await copied;
    for (;;) {
      if (this.isClosed) return;
      try {
        const state = await containers.inspect(known.container);
        if (!state || state.isOver) {
          this.ended(id, known, state);
          return;
        }
        await containers.wait(known.container);
      } catch (error) {
        if (this.isClosed) return;
        log.warn("the engine does not answer", { error });
        await new Promise((resolve) => setTimeout(resolve, SOON_MS));
      }
    }
  }

  private ended(id: RunId, known: Known, state: ContainerState | undefined): void {
    const nowMs = this.nowMs();
    const lost = { id, exitCode: LOST, startedMs: nowMs, finishedMs: nowMs, isLost: true };
    known.exit = { ...(state ? exitOf(id, state) : lost), ...this.named(known) };
    for (const listener of this.listeners) listener(known.exit);
  }

  /** What the runtime puts into a container: names, and where its last words go. */
  private async supplied(request: ContainerRequest): Promise<readonly Mount[]> {
    const { engine, messageFile, mounts = [] } = request;
    const supplied: Mount[] = [];
    const add = (source: string, mountPath: string) =>
      supplied.push({ source, mountPath, isReadOnly: false });
    for (const shared of engine.sharedPaths) add(shared, shared);
    if (engine.files) add(engine.files.hosts, "/etc/hosts");
    if (engine.files) add(engine.files.resolvConf, "/etc/resolv.conf");
    if (request.accountDirectory !== undefined) {
      const source = request.accountDirectory;
      supplied.push({ source, mountPath: ACCOUNT_PATH, isReadOnly: true });
    }
    if (messageFile !== undefined) {
      // Whoever the container's user is, it may write its last words.
      await writeFile(messageFile, "", { flag: "a" });
      await chmod(messageFile, 0o666);
      add(messageFile, engine.messagePath);
    }
    const own = new Set(mounts.map(({ mountPath }) => mountPath));
    return supplied.filter(({ mountPath }) => !own.has(mountPath));
  }

  private named({ container, imageId }: Known): NamedContainer {
    return { containerId: `${this.name}://${container}`, imageId };
  }

  private containerOf(id: RunId): string {
    const known = this.known.get(formatRunName(id));
    if (!known) throw new Error(`the engine has no container ${formatRunName(id)}`);
    return known.container;
  }

  private nowMs(): number {
    return this.options.clock.nowMs();
  }

  /** One after the other for each pod: what holds its network goes after those who use it. */
  private later(podUid: string, remove: () => Promise<void>): void {
    const before = this.removals.get(podUid) ?? Promise.resolve();
    const removal = before.then(remove).catch((error: unknown) => {
      this.options.log.warn("something of a pod was not removed", { podUid, error });
    });
    this.removals.set(podUid, removal);
    void removal.then(() => {
      if (this.removals.get(podUid) === removal) this.removals.delete(podUid);
    });
  }
}

function isContainer(request: RunRequest): request is ContainerRequest {
  return request.engine !== undefined;
}

function refuseStream(error: unknown): never {
  throw new StreamRefused(describeError(error));
}

/** What only the image can tell. */
function refuseUnfit(request: ContainerRequest, image: FoundImage): void {
  const problem = rootProblem(request.engine, image);
  if (problem !== undefined) {
    request.engine.image.tell("Warning", "Failed", `Error: ${problem}`);
    throw new RunDelayed("CreateContainerConfigError", problem, UNFIT_AGAIN_MS);
  }
  if (argumentsOf(request, image).length === 0) {
    throw new RunDelayed("CreateContainerError", "no command specified", UNFIT_AGAIN_MS);
  }
}

/** Names are one space for all of an engine; a uid is nobody else's. */
function nameOf({ podUid, container, attempt }: RunId): string {
  return `tally_${podUid}_${container}_${attempt}`;
}
