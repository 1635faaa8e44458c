/**
 * Does the work of Kubernetes' own controllers for CustomResourceDefinitions inside the server:
 * accepts their names, marks them as established, and deletes the objects of a kind before its
 * definition is removed.
 *
 * It runs right after the request that changed something, so that a client that was told of a
 * definition finds it served.
 */
import { isEqual } from "../../api/equal.ts";
import type { CustomResourceDefinition } from "../../api/generated/apiextensions.ts";
import { type Draft, draftOf, type KubeObject } from "../../api/object.ts";
import type { Log } from "../../base/log.ts";
import { decideStatus } from "../../kinds/customresourcedefinition/accept-names.ts";
import { withCondition } from "../../kinds/customresourcedefinition/conditions.ts";
import { CLEANUP_FINALIZER } from "../../kinds/customresourcedefinition/deletion.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Registry } from "../../kinds/registry.ts";
import type { Subscription } from "../../store/types.ts";
import { keyOf, type ServerContext, timestamp } from "../context.ts";
import { deleteObject } from "../verbs/delete.ts";
import { replace, type UpdateTarget } from "../verbs/update.ts";
import { DEFINITIONS, isBuiltIn } from "./custom-registry.ts";

export interface DefinitionKeeper {
  close(): void;
}

export interface KeptServer extends ServerContext {
  readonly registry: Registry;
  readonly log: Log;
}

const COMMITTED = { dryRun: false, isQuiet: true };

export function openDefinitionKeeper(server: KeptServer): DefinitionKeeper {
  const { store, registry } = server;
  const kind = registry.getResource("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  /**
   * By resource of a definition that is being deleted: a subscription to the deletions of its
   * objects.
   */
  const emptying = new Map<string, Subscription>();
  let isDue = false;
  let isClosed = false;
  const look = () => {
    if (isDue || isClosed) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      if (!isClosed) lookAtAll();
    });
  };
  const lookAtAll = () => {
    const all = store.list(DEFINITIONS).items as readonly CustomResourceDefinition[];
    for (const definition of all) {
      try {
        lookAt(definition, all);
      } catch (error) {
        const name = definition.metadata.name ?? "";
        server.log.error("a custom resource definition could not be processed", {
          name,
          error: String(error),
        });
      }
    }
  };
  const lookAt = (
    definition: CustomResourceDefinition,
    all: readonly CustomResourceDefinition[],
  ) => {
    const { metadata, spec } = definition;
    if (metadata.deletionTimestamp === undefined) {
      const others = all.filter((other) => other.spec.group === spec.group);
      const status = decideStatus(definition, others, timestamp(server.clock));
      if (!isEqual(status, definition.status)) writeStatus(server, kind, definition, status);
      return;
    }
    if (!metadata.finalizers?.includes(CLEANUP_FINALIZER)) return;
    const resource = `${spec.names.plural}.${spec.group}`;
    const isEmpty = isBuiltIn(definition, registry) || deleteAll(server, definition, resource);
    if (isEmpty) {
      emptying.get(resource)?.close();
      emptying.delete(resource);
      release(server, kind, definition);
    } else if (!emptying.has(resource)) {
      emptying.set(
        resource,
        store.subscribe(resource, store.revision, ({ type }) => {
          if (type === "DELETED") look();
        }),
      );
    }
  };
  const subscription = store.subscribe(DEFINITIONS, store.revision, look);
  if (store.count(DEFINITIONS) > 0) look();
  return {
    close: () => {
      isClosed = true;
      subscription.close();
      for (const each of emptying.values()) each.close();
    },
  };
}

function writeStatus(
  server: ServerContext,
  kind: Kind,
  definition: CustomResourceDefinition,
  status: CustomResourceDefinition["status"],
): void {
  const next = draftOf({ ...definition, status }) as Draft<KubeObject>;
  replace(server, targetOf(kind, definition, "status"), definition, next, COMMITTED);
}

function targetOf(kind: Kind, { metadata }: KubeObject, part: UpdateTarget["part"]): UpdateTarget {
  return { kind, namespace: "", name: metadata.name ?? "", part };
}

/** Whether no object is left. Objects that wait for finalizers count as left. */
function deleteAll(
  server: KeptServer,
  definition: CustomResourceDefinition,
  resource: string,
): boolean {
  if (server.store.count(resource) === 0) return true;
  const kind = server.registry.kinds.find(({ custom, storedAs }) => {
    return custom !== undefined && storedAs?.resource === resource;
  });
  // Without a served version the kind is unknown, so the objects are removed directly.
  for (const { metadata } of server.store.list(resource).items) {
    const { namespace = "", name = "", resourceVersion = "" } = metadata;
    if (!kind) server.store.remove({ resource, namespace, name }, resourceVersion);
    else if (
      server.store.get(keyOf(kind, namespace, name))?.metadata.deletionTimestamp === undefined
    ) {
      deleteObject(server, kind, namespace, name, {});
    }
  }
  if (server.store.count(resource) === 0) return true;
  markProgress(server, definition);
  return false;
}

function markProgress(server: KeptServer, definition: CustomResourceDefinition): void {
  const kind = server.registry.getResource(
    "apiextensions.k8s.io",
    "v1",
    "customresourcedefinitions",
  );
  const condition = {
    type: "Terminating",
    status: "True",
    reason: "InstanceDeletionInProgress",
    message: "CustomResource deletion is in progress",
  };
  const { status } = definition;
  const conditions = withCondition(status.conditions, condition, timestamp(server.clock));
  if (isEqual(conditions, status.conditions)) return;
  writeStatus(server, kind, definition, { ...status, conditions });
}

function release(server: ServerContext, kind: Kind, definition: CustomResourceDefinition): void {
  const next = draftOf(definition) as Draft<KubeObject>;
  const rest = (definition.metadata.finalizers ?? []).filter((each) => each !== CLEANUP_FINALIZER);
  if (rest.length > 0) next.metadata.finalizers = rest;
  else delete next.metadata.finalizers;
  replace(server, targetOf(kind, definition, "object"), definition, next, COMMITTED);
}
