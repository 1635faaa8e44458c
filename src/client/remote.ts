/**
 * The Client of components outside the server: speaks HTTP to any Kubernetes API server.
 *
 * Reading order: this file, http-requests (a call as a request), http-connection (sending it),
 * http-refusal with http-errors (error answers), http-watch with line-splitter, then binary-form
 * (protobuf instead of JSON). A connection is wrapped in others that each add one behaviour:
 * renewing, measured, throttled with rate-limit, patient.
 */
import type {
  Client,
  Closable,
  DeleteRequest,
  ListOf,
  ListRequest,
  ResourceType,
} from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { TokenRequest } from "../api/generated/authentication.ts";
import type { KubeObject } from "../api/object.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import type { Metrics } from "../base/metrics.ts";
import { type Random, systemRandom } from "../base/random.ts";
import { asking, type BinaryForm, isIn } from "./binary-form.ts";
import { type Connection, wholeBytes, wholeText } from "./http-connection.ts";
import { refusalOf } from "./http-refusal.ts";
import {
  bindRequest,
  createRequest,
  deleteRequest,
  getRequest,
  type HttpRequest,
  listRequest,
  patchRequest,
  submissionRequest,
  type Tell,
  tokenRequest,
  updateRequest,
  watchRequest,
} from "./http-requests.ts";
import { openWatch } from "./http-watch.ts";
import { measured } from "./measured-connection.ts";
import { patient } from "./patient-connection.ts";
import type { RateLimit } from "./rate-limit.ts";
import { type AccessOptions, openConnection } from "./renewing-connection.ts";
import { throttled } from "./throttled-connection.ts";

/** Closing the client aborts its requests and watches. */
export type RemoteClient = Client & Closable;

export interface RemoteOptions extends AccessOptions {
  /** By default requests are not limited. */
  readonly rateLimit?: RateLimit;
  readonly clock?: Clock;
  /** Requests are counted if this is given. */
  readonly metrics?: Metrics;
  readonly random?: Random;
  /** The binary form to use instead of JSON, for kinds that have one. */
  readonly formOf?: (type: ResourceType) => BinaryForm | undefined;
  /** True for a Tally server, which can store a Job together with all that belongs to it. */
  readonly submitsJobs?: boolean;
}

/** Watches are reopened after a random time, because a connection may die without notice. */
const SHORTEST_WATCH_S = 300;
/** Page size of lists, because the server has to hold a whole answer in memory. */
const LIST_PART = 500;

export function remoteClient(options: RemoteOptions): RemoteClient {
  const connection = connectionOf(options);
  const { random = systemRandom } = options;
  const formOf = remembered(options.formOf);
  const ask = <T>(request: HttpRequest, form?: BinaryForm) =>
    answered<T>(connection, request, form);
  return {
    get: async (type, name) => ask(getRequest(type, name), formOf(type)),
    streamsLists: true,
    prefersJsonPatches: true,
    list: async <T extends KubeObject>(type: ResourceType<T>, request: ListRequest = {}) => {
      const listPart = async (part: ListRequest) =>
        listOf(type, await ask<WireList<T>>(listRequest(type, part), formOf(type)));
      return request.limit === undefined ? listInParts(listPart, request) : listPart(request);
    },
    watch: (type, request, handlers) => {
      const seconds = SHORTEST_WATCH_S + random.below(SHORTEST_WATCH_S);
      const whole = watchRequest(type, request, seconds);
      return openWatch(connection, whole, handlers, formOf(type));
    },
    create: async (type, object) => {
      const form = formOf(type);
      return ask(createRequest(type, object, telling(form)), form);
    },
    update: async (type, object) => {
      const form = formOf(type);
      return ask(updateRequest(type, object, undefined, telling(form)), form);
    },
    updateStatus: async (type, object) => {
      const form = formOf(type);
      return ask(updateRequest(type, object, "status", telling(form)), form);
    },
    finalize: async (type, object) => ask(updateRequest(type, object, "finalize")),
    patch: async (type, name, request) => ask(patchRequest(type, name, request), formOf(type)),
    delete: async (type, name, request: DeleteRequest = {}) => {
      await ask(deleteRequest(type, name, request));
    },
    bind: async (pod, node) => {
      await ask(bindRequest(pod, node));
    },
    requestToken: async (account, spec) => {
      const { status } = await ask<TokenRequest>(tokenRequest(account, spec));
      return { token: status.token, expirationTimestamp: status.expirationTimestamp ?? "" };
    },
    ...(options.submitsJobs
      ? { submitJob: async (submission) => ask(submissionRequest(submission)) }
      : {}),
    // A server answers only after the write is durable.
    durable: async () => {},
    close: () => connection.close(),
  };
}

/**
 * Retries are on the outside: each attempt of a request counts for the rate limit and the metrics.
 */
function connectionOf(options: RemoteOptions): Connection {
  const { rateLimit, metrics, clock = systemClock } = options;
  const direct = openConnection(options);
  const counted = metrics ? measured(direct, options.server, { metrics, clock }) : direct;
  return patient(rateLimit ? throttled(counted, rateLimit, clock) : counted, clock);
}

/** The form of a kind never changes, so it is looked up once. */
function remembered(formOf: RemoteOptions["formOf"]) {
  if (!formOf) return () => undefined;
  const known = new Map<ResourceType, BinaryForm | undefined>();
  return (type: ResourceType): BinaryForm | undefined => {
    if (!known.has(type)) known.set(type, formOf(type));
    return known.get(type);
  };
}

function telling(form: BinaryForm | undefined): Tell | undefined {
  if (!form?.encode) return undefined;
  const { contentType, encode } = form;
  return (object) => ({ contentType, text: "", bytes: encode(object) });
}

async function answered<T>(
  connection: Connection,
  request: HttpRequest,
  form: BinaryForm | undefined,
): Promise<T> {
  const answer = await connection.send(asking(form, request));
  const { status } = answer;
  if (status < 200 || status > 299) throw await refusalOf(answer, form);
  if (isIn(form, answer)) return form.decode(await wholeBytes(answer)) as T;
  return JSON.parse(await wholeText(answer)) as T;
}

/**
 * If the continue token expires before the list is complete, the whole list is requested at once.
 */
async function listInParts<T>(
  listPart: (part: ListRequest) => Promise<ListOf<T>>,
  request: ListRequest,
): Promise<ListOf<T>> {
  let part = await listPart({ ...request, limit: LIST_PART });
  if (part.continue === undefined) return part;
  const items = [...part.items];
  const { resourceVersion } = part;
  try {
    while (part.continue !== undefined) {
      part = await listPart({ ...request, limit: LIST_PART, continue: part.continue });
      for (const item of part.items) items.push(item);
    }
  } catch (error) {
    if (error instanceof ApiError && error.code === 410) return listPart(request);
    throw error;
  }
  return { items, resourceVersion };
}

interface WireList<T> {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items: readonly T[] | null;
}

/** List items have no apiVersion and kind on the wire; the rest of the code expects them. */
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
