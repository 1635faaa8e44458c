/** The events of a watch, as they come. */
import type { Status } from "../../api/errors.ts";
import { errorOfStatus } from "../../client/http-errors.ts";
import type { HttpRequest } from "../../client/http-requests.ts";
import { LineSplitter } from "../../client/line-splitter.ts";
import type { Cluster } from "./cluster.ts";

export interface WireEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: T;
}

/** Ends with the watch, or with the signal; throws what the server says is wrong. */
export async function* eventsOf<T>(
  cluster: Cluster,
  request: HttpRequest,
  signal: AbortSignal = new AbortController().signal,
): AsyncIterable<WireEvent<T>> {
  const lines = new LineSplitter();
  const { pieces } = await cluster.open(request, signal);
  for await (const piece of pieces) {
    for (const line of lines.take(piece)) {
      const event = JSON.parse(line);
      if (event.type === "ERROR") throw errorOfStatus(event.object as Status);
      if (event.type !== "BOOKMARK") yield event;
    }
  }
}
