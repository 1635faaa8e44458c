/** A watch over HTTP: an answer that goes on, an event a line. */
import type { Bookmark, Closable, WatchHandlers } from "../api/client.ts";
import type { Status } from "../api/errors.ts";
import type { KubeObject } from "../api/object.ts";
import { type Connection, wholeText } from "./http-connection.ts";
import { errorOf, errorOfStatus } from "./http-errors.ts";
import type { HttpRequest } from "./http-requests.ts";
import { LineSplitter } from "./line-splitter.ts";

/** A watch that cannot begin ends. One that is closed tells nothing more. */
export function openWatch<T extends KubeObject>(
  connection: Connection,
  request: HttpRequest,
  { onEvent, onBookmark, onEnd }: WatchHandlers<T>,
): Closable {
  const abort = new AbortController();
  let isOver = false;
  const end = (error?: Error) => {
    if (isOver) return;
    isOver = true;
    abort.abort();
    onEnd(error);
  };
  const take = (line: string) => {
    if (isOver) return;
    const { type, object } = JSON.parse(line) as WireEvent<T>;
    if (type === "ERROR") end(errorOfStatus(object as unknown as Status));
    else if (type === "BOOKMARK") onBookmark?.(bookmarkOf(object));
    else onEvent({ type, object });
  };
  read(connection, request, abort.signal, take).then(
    () => end(),
    (error: Error) => end(error),
  );
  return {
    close: () => {
      isOver = true;
      abort.abort();
    },
  };
}

function bookmarkOf({ metadata }: KubeObject): Bookmark {
  const { resourceVersion = "", annotations } = metadata;
  return { resourceVersion, isInitialEnd: annotations?.[INITIAL_END] === "true" };
}

const INITIAL_END = "k8s.io/initial-events-end";

interface WireEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  /** For ERROR a Status. */
  readonly object: T;
}

/** Settles when the server ends the answer. */
async function read(
  connection: Connection,
  request: HttpRequest,
  signal: AbortSignal,
  take: (line: string) => void,
): Promise<void> {
  const answer = await connection.stream(request, signal);
  if (answer.status !== 200) throw errorOf(answer.status, await wholeText(answer));
  const lines = new LineSplitter();
  for await (const piece of answer.pieces) {
    for (const line of lines.take(piece)) take(line);
  }
  if (lines.isWithinLine) throw new Error("the watch ended within an event");
}
