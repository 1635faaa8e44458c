/**
 * The Client of components inside the process: calls the verbs directly, passes objects by
 * reference and sees writes before they are on disk. Answers that leave the process wait for the
 * disk (in server/http/listen).
 */
import type {
  Client,
  Closable,
  DeleteRequest,
  IssuedToken,
  ListOf,
  ListRequest,
  Name,
  PatchRequest,
  PodName,
  ResourceType,
  TokenSpec,
  WatchHandlers,
  WatchRequest,
} from "../api/client.ts";
import { ApiError, unknownResource } from "../api/errors.ts";
import type { TokenRequest } from "../api/generated/authentication.ts";
import type { Draft, KubeObject } from "../api/object.ts";
import { apiVersionOf, type Kind } from "../kinds/kind.ts";
import type { Registry } from "../kinds/registry.ts";
import { keyOf, partsOf, type ServerContext, type WriteOptions } from "../server/context.ts";
import { loadDefinitionRules, needsDefinitionRules } from "../server/customresources/load-rules.ts";
import { decodeGiven } from "../server/decode-given.ts";
import { requestToken, TOKEN_REQUEST } from "../server/tokens/request-token.ts";
import { bind } from "../server/verbs/bind.ts";
import { create } from "../server/verbs/create.ts";
import { deleteObject } from "../server/verbs/delete.ts";
import { get } from "../server/verbs/get.ts";
import { list } from "../server/verbs/list.ts";
import { patch } from "../server/verbs/patch.ts";
import { patchScale } from "../server/verbs/scale.ts";
import { submitJob } from "../server/verbs/submit-job.ts";
import { type UpdateTarget, update } from "../server/verbs/update.ts";
import { follow } from "../server/verbs/watch.ts";
import { DecodedParts, partsBefore } from "./decoded-parts.ts";

export interface LocalServer extends ServerContext {
  readonly registry: Registry;
}

const COMMITTED = { dryRun: false, isQuiet: true };

export interface LocalOptions {
  /** The field manager recorded in managedFields for the component's writes. */
  readonly manager?: string;
  /** Record managedFields for pods, events and leases as well: see docs/server-side-apply.md. */
  readonly tracksAll?: boolean;
}

/**
 * There may be many thousands of these, written only by components: managedFields would cost too
 * much.
 */
const UNTRACKED: ReadonlySet<string> = new Set(["pods", "events", "leases"]);

export function localClient(server: LocalServer, options: LocalOptions = {}): Client {
  const { manager = "tally", tracksAll = false } = options;
  const parts = new DecodedParts();
  const tracked: WriteOptions = { ...COMMITTED, manager };
  const optionsFor = (kind: Kind) =>
    !tracksAll && UNTRACKED.has(kind.resource) ? COMMITTED : tracked;
  return {
    get: async <T extends KubeObject>(type: ResourceType<T>, name: Name) =>
      get(server, kindOf(server, type), name.namespace ?? "", name.name) as T,
    list: async <T extends KubeObject>(type: ResourceType<T>, request: ListRequest = {}) =>
      listed<T>(server, kindOf(server, type), request),
    watch: (type, request, handlers) => watched(server, type, request, handlers),
    create: async <T extends KubeObject>(type: ResourceType<T>, object: T) => {
      if (needsDefinitionRules(type.group)) await loadDefinitionRules();
      const kind = kindOf(server, type);
      return created({ server, parts, options: optionsFor(kind) }, kind, object);
    },
    update: async (type, object) =>
      written(server, kindOf(server, type), object, "object", tracked),
    updateStatus: async (type, object) =>
      written(server, kindWith(server, type, "status"), object, "status", tracked),
    finalize: async (type, object) =>
      written(server, kindWith(server, type, "finalize"), object, "finalize", tracked),
    patch: async (type, name, request) => patched(server, type, name, request, tracked),
    delete: async (type: ResourceType, name: Name, request: DeleteRequest = {}) => {
      deleteObject(server, kindOf(server, type), name.namespace ?? "", name.name, request);
    },
    bind: async (pod, node) => bound(server, pod, node),
    requestToken: async (account, spec) => issuedToken(server, account, spec),
    submitJob: async (submission) => submitJob(server, submission, tracked),
    durable: (resourceVersion) => server.store.durable(Number(resourceVersion)),
  };
}

function kindOf(server: LocalServer, type: ResourceType): Kind {
  const kind = server.registry.findResource(type);
  if (!kind) throw unknownResource();
  return kind;
}

function kindWith(server: LocalServer, type: ResourceType, subresource: string): Kind {
  const kind = kindOf(server, type);
  const isServed = kind.subresources?.some(({ name }) => name === subresource);
  if (!isServed) throw unknownResource();
  return kind;
}

function listed<T extends KubeObject>(
  server: ServerContext,
  kind: Kind,
  { namespace, ...request }: ListRequest,
): ListOf<T> {
  const { items, metadata } = list(server, kind, namespace, request);
  return { items: items as readonly T[], ...metadata };
}

/**
 * If the watch cannot start, onEnd is called, as over the wire: after this function has returned.
 */
function watched<T extends KubeObject>(
  server: LocalServer,
  type: ResourceType<T>,
  request: WatchRequest,
  { onEvent, onEnd }: WatchHandlers<T>,
): Closable {
  try {
    const kind = kindOf(server, type);
    return follow(server, kind, request.namespace, request, (event) =>
      onEvent({ type: event.type, object: event.object as T }),
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    let isClosed = false;
    queueMicrotask(() => {
      if (!isClosed) onEnd(error);
    });
    return {
      close: () => {
        isClosed = true;
      },
    };
  }
}

interface Creating {
  readonly server: LocalServer;
  readonly parts: DecodedParts;
  readonly options: WriteOptions;
}

function created<T extends KubeObject>(
  { server, parts, options }: Creating,
  kind: Kind,
  object: T,
): T {
  const namespace = object.metadata.namespace ?? "";
  const given: { readonly object: T; readonly known?: KubeObject } = kind.sharesParts
    ? parts.fill(object)
    : { object };
  const draft = decodeGiven(server, kind, given.object, given.known);
  if (!kind.sharesParts) return create(server, kind, namespace, draft, options).object as T;
  const before = partsBefore(draft);
  const made = create(server, kind, namespace, draft, options).object as T;
  parts.remember(object, before, made);
  return made;
}

function written<T extends KubeObject>(
  server: LocalServer,
  kind: Kind,
  object: T,
  part: UpdateTarget["part"],
  options: WriteOptions,
): T {
  const { name = "", namespace = "" } = object.metadata;
  const target: UpdateTarget = { kind, namespace, name, part };
  const known = partsOf(kind, server.store.get(keyOf(kind, namespace, name)));
  return update(server, target, decodeGiven(server, kind, object, known), options).object as T;
}

function patched<T extends KubeObject>(
  server: LocalServer,
  type: ResourceType<T>,
  { namespace = "", name }: Name,
  { type: patchType, body, subresource }: PatchRequest,
  options: WriteOptions,
): T {
  const kind = subresource ? kindWith(server, type, subresource) : kindOf(server, type);
  const change = { type: patchType, body: JSON.stringify(body) };
  const part = subresource === "status" ? "status" : "object";
  const target: UpdateTarget = { kind, namespace, name, part };
  if (subresource === "scale") {
    return patchScale(server, target, change, options, () => {}) as T;
  }
  return patch(server, target, change, options, () => {}).object as T;
}

function bound(server: LocalServer, { namespace = "", name, uid }: PodName, node: string): void {
  const metadata = { name, ...(uid === undefined ? {} : { uid }) };
  const binding = { apiVersion: "v1", kind: "Binding", metadata, target: { name: node } };
  bind(server, namespace, name, binding, COMMITTED);
}

function issuedToken(
  server: LocalServer,
  { namespace = "", name }: Name,
  spec: TokenSpec,
): IssuedToken {
  const { kind } = TOKEN_REQUEST;
  const given = { apiVersion: apiVersionOf(TOKEN_REQUEST), kind, metadata: {}, spec };
  const request = given as unknown as Draft<TokenRequest>;
  const { token, expirationTimestamp } = requestToken(server, { namespace, name }, request).status;
  return { token, expirationTimestamp: expirationTimestamp ?? "" };
}
