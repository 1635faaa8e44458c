/**
 * The Client of components outside the server: speaks HTTP to any Kubernetes API server.
 *
 * Reading order: this file, http-requests (a call as a request), http-connection (sending it),
 * http-errors (what a refusal means), http-watch with line-splitter, throttled-connection with
 * rate-limit.
 */
import type {
  Client,
  Closable,
  DeleteRequest,
  ListOf,
  ListRequest,
  ResourceType,
} from "../api/client.ts";
import type { KubeObject } from "../api/object.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { type Connection, type ConnectionOptions, connect, wholeText } from "./http-connection.ts";
import { errorOf } from "./http-errors.ts";
import {
  bindRequest,
  createRequest,
  deleteRequest,
  getRequest,
  type HttpRequest,
  listRequest,
  patchRequest,
  updateRequest,
  watchRequest,
} from "./http-requests.ts";
import { openWatch } from "./http-watch.ts";
import type { RateLimit } from "./rate-limit.ts";
import { throttled } from "./throttled-connection.ts";

/** Closing it ends what is under way. */
export type RemoteClient = Client & Closable;

export interface RemoteOptions extends ConnectionOptions {
  /** Requests are not limited unless this says so. */
  readonly rateLimit?: RateLimit;
  readonly clock?: Clock;
}

export function remoteClient(options: RemoteOptions): RemoteClient {
  const { rateLimit, clock = systemClock } = options;
  const direct = connect(options);
  const connection = rateLimit ? throttled(direct, rateLimit, clock) : direct;
  const ask = <T>(request: HttpRequest) => answered<T>(connection, request);
  return {
    get: async (type, name) => ask(getRequest(type, name)),
    list: async <T extends KubeObject>(type: ResourceType<T>, request: ListRequest = {}) =>
      listOf(type, await ask<WireList<T>>(listRequest(type, request))),
    watch: (type, request, handlers) =>
      openWatch(connection, watchRequest(type, request), handlers),
    create: async (type, object) => ask(createRequest(type, object)),
    update: async (type, object) => ask(updateRequest(type, object)),
    updateStatus: async (type, object) => ask(updateRequest(type, object, "status")),
    finalize: async (type, object) => ask(updateRequest(type, object, "finalize")),
    patch: async (type, name, request) => ask(patchRequest(type, name, request)),
    delete: async (type, name, request: DeleteRequest = {}) => {
      await ask(deleteRequest(type, name, request));
    },
    bind: async (pod, node) => {
      await ask(bindRequest(pod, node));
    },
    // A server answers when it is sure.
    durable: async () => {},
    close: () => connection.close(),
  };
}

async function answered<T>(connection: Connection, request: HttpRequest): Promise<T> {
  const answer = await connection.send(request);
  const { status } = answer;
  const text = await wholeText(answer);
  if (status < 200 || status > 299) throw errorOf(status, text);
  return JSON.parse(text) as T;
}

interface WireList<T> {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items: readonly T[] | null;
}

/** The items of a list do not say what they are; everything else that has objects expects it. */
function listOf<T extends KubeObject>(
  { group, version, kind }: ResourceType<T>,
  { metadata, items }: WireList<T>,
): ListOf<T> {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return {
    items: (items ?? []).map((item) => ({ ...item, apiVersion, kind })),
    resourceVersion: metadata.resourceVersion ?? "",
    ...(metadata.continue ? { continue: metadata.continue } : {}),
  };
}
