/** Fetches logs: one after another, or all at once where they are followed. */
import type { Pod } from "../../api/generated/core.ts";
import { pods } from "../../api/resources.ts";
import { objectPath, query } from "../../client/http-requests.ts";
import { errorText } from "../../command/error-text.ts";
import type { Machine } from "../../command/machine.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { prefixLines } from "./prefix-lines.ts";

export interface LogSource {
  readonly pod: Pod;
  readonly container: string;
}

export interface LogSettings {
  /** As PodLogOptions names them. */
  readonly query: { readonly [name: string]: string | number };
  readonly isFollowing: boolean;
  readonly hasPrefix: boolean;
  readonly ignoresErrors: boolean;
  readonly mostAtOnce: number;
  readonly isSelected: boolean;
}

export async function streamLogs(
  cluster: Cluster,
  sources: readonly LogSource[],
  settings: LogSettings,
  machine: Machine,
): Promise<void> {
  const stream = async (source: LogSource): Promise<void> => {
    try {
      await streamOne(cluster, source, settings, machine);
    } catch (error) {
      if (!settings.ignoresErrors) throw error;
      machine.writeError(`${errorText(error)}\n`);
    }
  };
  if (settings.isFollowing && sources.length > 1) await Promise.all(sources.map(stream));
  else for (const source of sources) await stream(source);
}

async function streamOne(
  cluster: Cluster,
  source: LogSource,
  settings: LogSettings,
  machine: Machine,
): Promise<void> {
  const { name = "", namespace = "" } = source.pod.metadata;
  const { container } = source;
  const parameters = query({ container, ...settings.query });
  const path = `${objectPath(pods, { name, namespace }, "log")}${parameters}`;
  const abort = new AbortController();
  const request = { method: "GET", path, accept: "application/json, */*" } as const;
  const { bytes } = await cluster.open(request, abort.signal);
  // Lines of several logs must not end within each other.
  const isShared = settings.isFollowing || settings.hasPrefix;
  const prefix = settings.hasPrefix ? `[pod/${name}/${container}] ` : "";
  const pieces = isShared ? prefixLines(bytes, prefix) : bytes;
  for await (const piece of pieces) await machine.writeBytes(piece);
}
