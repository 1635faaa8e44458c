/** A watch over HTTP: an endless answer with one event per line, or per frame in a binary form. */
import type { Bookmark, Closable, WatchHandlers } from "../api/client.ts";
import type { Status } from "../api/errors.ts";
import type { KubeObject } from "../api/object.ts";
import { asking, type BinaryForm, isIn } from "./binary-form.ts";
import { FrameSplitter } from "./frame-splitter.ts";
import type { Connection, HttpAnswer } from "./http-connection.ts";
import { errorOfStatus } from "./http-errors.ts";
import { refusalOf } from "./http-refusal.ts";
import type { HttpRequest } from "./http-requests.ts";
import { LineSplitter } from "./line-splitter.ts";

/** If the watch cannot start, onEnd is called. After close(), no handler is called any more. */
export function openWatch<T extends KubeObject>(
  connection: Connection,
  request: HttpRequest,
  { onEvent, onBookmark, onEnd }: WatchHandlers<T>,
  form?: BinaryForm,
): Closable {
  const abort = new AbortController();
  let isOver = false;
  const end = (error?: Error) => {
    if (isOver) return;
    isOver = true;
    abort.abort();
    onEnd(error);
  };
  const take = (read: () => unknown) => {
    if (isOver) return;
    const { type, object } = read() as WireEvent<T>;
    if (type === "ERROR") end(errorOfStatus(object as unknown as Status));
    else if (type === "BOOKMARK") onBookmark?.(bookmarkOf(object));
    else onEvent({ type, object });
  };
  readEvents(connection, request, abort.signal, { take, form }).then(
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
  /** A Status if the type is ERROR. */
  readonly object: T;
}

interface Reading {
  /** Receives a function that decodes the event, so that events after the end are not decoded. */
  readonly take: (read: () => unknown) => void;
  readonly form: BinaryForm | undefined;
}

/** Settles when the server ends the answer. */
async function readEvents(
  connection: Connection,
  request: HttpRequest,
  signal: AbortSignal,
  { take, form }: Reading,
): Promise<void> {
  const answer = await connection.stream(asking(form, request), signal);
  if (answer.status !== 200) throw await refusalOf(answer, form);
  if (isIn(form, answer)) return readFrames(answer, form, take);
  const lines = new LineSplitter();
  for await (const piece of answer.pieces) {
    for (const line of lines.take(piece)) take(() => JSON.parse(line));
  }
  if (lines.isWithinLine) throw new Error("the watch ended within an event");
}

async function readFrames(
  { bytes }: HttpAnswer,
  form: BinaryForm,
  take: Reading["take"],
): Promise<void> {
  const frames = new FrameSplitter();
  for await (const piece of bytes) {
    for (const frame of frames.take(piece)) take(() => form.decodeEvent(frame));
  }
  if (frames.isWithinFrame) throw new Error("the watch ended within an event");
}
