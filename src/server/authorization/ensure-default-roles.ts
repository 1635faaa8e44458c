/**
 * Creates the default roles and bindings in the store, as Kubernetes does at start: missing ones
 * are created, removed rules and subjects are restored, additional ones are kept. Objects with the
 * annotation "autoupdate: false" are not changed.
 */
import { isEqual } from "../../api/equal.ts";
import type { ClusterRole, PolicyRule, Subject } from "../../api/generated/rbac.ts";
import type { Draft, Json, KubeObject } from "../../api/object.ts";
import { decodeObject } from "../../api/schema/decode.ts";
import { parsed } from "../../api/schema/parsed-json.ts";
import type { Timer } from "../../base/clock.ts";
import { apiVersionOf, type Kind } from "../../kinds/kind.ts";
import { RBAC_GROUP } from "../../kinds/rbac/validate.ts";
import type { Registry } from "../../kinds/registry.ts";
import { keyOf, type ServerContext } from "../context.ts";
import { create } from "../verbs/create.ts";
import { deleteObject } from "../verbs/delete.ts";
import { update } from "../verbs/update.ts";
import type { AnyBinding } from "./binding-index.ts";
import { uncovered } from "./coverage.ts";
import { defaultObjects } from "./default-roles.ts";

const AUTOUPDATE = "rbac.authorization.kubernetes.io/autoupdate";
const COMMITTED = { dryRun: false, isQuiet: true };

type Server = ServerContext & { readonly registry: Registry };

export interface DefaultRoles {
  /** Creates everything that is still missing now, because an authorization decision needs it. */
  ensure(): void;
  /** Creates them in small steps in the background. */
  begin(): void;
  close(): void;
}

/** In the background, because there are many and an administrator does not need them. */
export function openDefaultRoles(server: Server): DefaultRoles {
  const steps = roleSteps(server);
  let timer: Timer | undefined;
  let isClosed = false;
  const goOn = (): void => {
    if (isClosed) return;
    for (let step = 0; step < STEPS_AT_ONCE; step++) if (steps.next().done) return;
    setImmediate(goOn);
  };
  return {
    ensure: () => {
      while (!steps.next().done);
    },
    begin: () => {
      timer = server.clock.schedule(BEGIN_AFTER_MS, goOn);
    },
    close: () => {
      isClosed = true;
      timer?.cancel();
    },
  };
}

const STEPS_AT_ONCE = 4;
/** Lets the urgent work of a starting server go first. */
const BEGIN_AFTER_MS = 100;

function* roleSteps(server: Server): Generator<void, void> {
  for (const { resource, fields } of defaultObjects()) {
    yield;
    const kind = server.registry.getResource(RBAC_GROUP, "v1", resource);
    const { name, namespace = "" } = fields.metadata;
    const wanted = decode(kind, fields as unknown as { [field: string]: Json });
    const found = server.store.get(keyOf(kind, namespace, name));
    if (found && isAnotherRole(wanted, found)) {
      deleteObject(server, kind, namespace, name, {});
    } else if (found) {
      const next = reconciled(wanted, found);
      const target = { kind, namespace, name, part: "object" } as const;
      if (next) update(server, target, next, COMMITTED);
      continue;
    }
    create(server, kind, namespace, wanted, COMMITTED);
  }
}

function decode(kind: Kind, fields: { [field: string]: Json }): Draft<KubeObject> {
  const typeMeta = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  return decodeObject(parsed({ ...typeMeta, ...fields }), kind.message, typeMeta).object;
}

function isProtected({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[AUTOUPDATE] === "false";
}

/** The roleRef of a binding is immutable, so the binding must be created again. */
function isAnotherRole(wanted: Draft<KubeObject>, found: KubeObject): boolean {
  const asked = (wanted as unknown as AnyBinding).roleRef;
  if (!asked || isProtected(found)) return false;
  return !isEqual(asked, (found as AnyBinding).roleRef);
}

/** Undefined if nothing is missing. */
function reconciled(wanted: Draft<KubeObject>, found: KubeObject): Draft<KubeObject> | undefined {
  if (isProtected(found)) return undefined;
  const { metadata } = found;
  const labels = { ...metadata.labels, ...wanted.metadata.labels };
  const annotations = { ...wanted.metadata.annotations, ...metadata.annotations };
  const isMarked =
    isEqual(labels, metadata.labels ?? {}) && isEqual(annotations, metadata.annotations ?? {});
  const content = reconciledContent(wanted as unknown as Content, found as unknown as Content);
  if (isMarked && !content) return undefined;
  return {
    ...found,
    ...content,
    metadata: { ...metadata, labels, annotations },
  } as Draft<KubeObject>;
}

interface Content {
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: ClusterRole["aggregationRule"];
  readonly subjects?: readonly Subject[];
  readonly roleRef?: AnyBinding["roleRef"];
}

function reconciledContent(wanted: Content, found: Content): Content | undefined {
  if (wanted.roleRef) {
    const { subjects = [] } = found;
    const lacking = (wanted.subjects ?? []).filter(
      (subject) => !subjects.some((other) => isEqual(other, subject)),
    );
    return lacking.length === 0 ? undefined : { subjects: [...subjects, ...lacking] };
  }
  // The controller sets the rules of aggregating roles.
  if (wanted.aggregationRule) {
    return found.aggregationRule ? undefined : { aggregationRule: wanted.aggregationRule };
  }
  const rules = found.rules ?? [];
  const lacking = (wanted.rules ?? []).filter((rule) => uncovered(rules, [rule]).length > 0);
  return lacking.length === 0 ? undefined : { rules: [...rules, ...lacking] };
}
