/**
 * Sees to it that an image is there before a container of it is made: by its pull policy, with the
 * pod's credentials, and with kubelet's patience and words where a registry refuses.
 */
import type { Clock } from "../../../base/clock.ts";
import { describeError } from "../../../base/describe-error.ts";
import { RunDelayed } from "../runtime.ts";
import { type EngineApi, EngineError } from "./engine-api.ts";
import type { WantedImage } from "./engine-run.ts";
import {
  formatImageReference,
  type ImageReference,
  parseImageReference,
} from "./image-reference.ts";
import { encodeForHeader, type RegistryCredentials } from "./registry-credentials.ts";

/** What of an image its containers go by. */
export interface FoundImage {
  /** "sha256:…" */
  readonly id: string;
  /** As a pod's status has it: by the digest of its registry, where it came from one. */
  readonly imageId: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly user: string;
  readonly bytes: number;
}

interface Inspected {
  readonly Id: string;
  readonly RepoDigests?: readonly string[] | null;
  readonly Size?: number;
  readonly Config?: {
    readonly Entrypoint?: readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly User?: string;
  } | null;
}

interface Failure {
  readonly message: string;
  readonly failures: number;
  readonly untilMs: number;
}

const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 300_000;
/** What nobody can change by waiting is looked at again as rarely. */
const HOPELESS_MS = 60_000;

export class Images {
  /** By pod and image, as kubelet counts them. */
  private readonly failures = new Map<string, Failure>();
  private readonly pulling = new Map<string, Promise<void>>();

  constructor(
    private readonly api: EngineApi,
    private readonly clock: Clock,
  ) {}

  /** Throws RunDelayed with the waiting state of a container that lacks its image. */
  async find(podUid: string, image: WantedImage): Promise<FoundImage> {
    const { name, pullPolicy, tell } = image;
    const reference = parseImageReference(name);
    if (!reference) throw invalidName(name, tell);
    const present = await this.inspect(name, reference);
    if (present && pullPolicy !== "Always") {
      tell("Normal", "Pulled", `Container image "${name}" already present on machine`);
      return present;
    }
    if (pullPolicy === "Never") {
      const message = `Container image "${name}" is not present with pull policy of Never`;
      tell("Warning", "ErrImageNeverPull", message);
      throw new RunDelayed("ErrImageNeverPull", message, HOPELESS_MS);
    }
    return this.pullWithPatience(podUid, image, reference);
  }

  forget(podUid: string): void {
    for (const key of this.failures.keys()) {
      if (key.startsWith(`${podUid} `)) this.failures.delete(key);
    }
  }

  private async pullWithPatience(
    podUid: string,
    image: WantedImage,
    reference: ImageReference,
  ): Promise<FoundImage> {
    const { name, tell } = image;
    const key = `${podUid} ${name}`;
    const failed = this.failures.get(key);
    const nowMs = this.clock.monotonicMs();
    if (failed && failed.untilMs > nowMs) {
      const message = `Back-off pulling image "${name}": ErrImagePull: ${failed.message}`;
      tell("Normal", "BackOff", message);
      tell("Warning", "Failed", "Error: ImagePullBackOff");
      throw new RunDelayed("ImagePullBackOff", message, failed.untilMs - nowMs);
    }
    tell("Normal", "Pulling", `Pulling image "${name}"`);
    try {
      await this.pullOnce(reference, image.credentials(reference));
    } catch (error) {
      const message = describeError(error);
      this.noteFailure(key, message);
      tell("Warning", "Failed", `Failed to pull image "${name}": ${message}`);
      tell("Warning", "Failed", "Error: ErrImagePull");
      throw new RunDelayed("ErrImagePull", message, SOON_MS);
    }
    this.failures.delete(key);
    const found = await this.inspect(name, reference);
    if (!found) throw new RunDelayed("ErrImagePull", `image "${name}" vanished`, SOON_MS);
    const seconds = `${((this.clock.monotonicMs() - nowMs) / 1000).toFixed(3)}s`;
    const size = `Image size: ${found.bytes} bytes.`;
    const took = `in ${seconds} (${seconds} including waiting). ${size}`;
    tell("Normal", "Pulled", `Successfully pulled image "${name}" ${took}`);
    return found;
  }

  private noteFailure(key: string, message: string): void {
    const failures = (this.failures.get(key)?.failures ?? 0) + 1;
    const waitMs = Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS);
    const untilMs = this.clock.monotonicMs() + waitMs;
    this.failures.set(key, { message, failures, untilMs });
  }

  /** Pods that want one image at the same time wait for the same pull. */
  private pullOnce(
    reference: ImageReference,
    credentials: readonly RegistryCredentials[],
  ): Promise<void> {
    const key = `${formatImageReference(reference)} ${JSON.stringify(credentials)}`;
    const running = this.pulling.get(key);
    if (running) return running;
    const pull = this.tryAll(reference, credentials).finally(() => this.pulling.delete(key));
    this.pulling.set(key, pull);
    return pull;
  }

  private async tryAll(
    reference: ImageReference,
    credentials: readonly RegistryCredentials[],
  ): Promise<void> {
    // Without any the engine's own are used.
    const all = credentials.length === 0 ? [undefined] : credentials;
    let refusal: unknown;
    for (const each of all) {
      try {
        await this.pull(reference, each);
        return;
      } catch (error) {
        refusal = error;
      }
    }
    throw refusal;
  }

  private async pull(
    reference: ImageReference,
    credentials: RegistryCredentials | undefined,
  ): Promise<void> {
    const { registry, repository, tag, digest } = reference;
    const query = new URLSearchParams({
      fromImage: `${registry}/${repository}`,
      tag: digest ?? tag ?? "",
    });
    const answer = await this.api.follow({
      method: "POST",
      path: `/images/create?${query}`,
      ...(credentials && { headers: { "X-Registry-Auth": encodeForHeader(credentials) } }),
    });
    let said = "";
    for await (const piece of answer) said += (piece as Buffer).toString("utf8");
    // It has begun with 200 by the time that something goes wrong.
    for (const line of said.split("\n")) {
      const problem = problemOf(line);
      if (problem !== undefined) throw new EngineError(500, problem);
    }
  }

  /** As it was typed, too: an engine knows its local images by their short names. */
  private async inspect(name: string, reference: ImageReference): Promise<FoundImage | undefined> {
    for (const each of new Set([formatImageReference(reference), name])) {
      const path = `/images/${encodeURIComponent(each)}/json`;
      const found = await this.api.askIfThere<Inspected>({ method: "GET", path });
      if (found) return toFound(found);
    }
    return undefined;
  }
}

const SOON_MS = 1_000;

function toFound({ Id, RepoDigests, Size = 0, Config }: Inspected): FoundImage {
  const id = Id.startsWith("sha256:") ? Id : `sha256:${Id}`;
  return {
    id,
    imageId: RepoDigests?.[0] ?? id,
    entrypoint: Config?.Entrypoint ?? [],
    command: Config?.Cmd ?? [],
    user: Config?.User ?? "",
    bytes: Size,
  };
}

function invalidName(name: string, tell: WantedImage["tell"]): RunDelayed {
  const cause = `couldn't parse image reference "${name}": invalid reference format`;
  const message = `Failed to apply default image tag "${name}": ${cause}`;
  tell("Warning", "InspectFailed", message);
  return new RunDelayed("InvalidImageName", message, HOPELESS_MS);
}

function problemOf(line: string): string | undefined {
  if (!line.includes("rror")) return undefined;
  try {
    const { error, errorDetail } = JSON.parse(line) as {
      error?: string;
      errorDetail?: { message?: string };
    };
    return errorDetail?.message ?? error;
  } catch {
    return undefined;
  }
}
