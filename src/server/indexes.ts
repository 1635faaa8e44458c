/** Pure: the indexes of the store, which let a list with a selector skip other objects. */

import type { KubeObject } from "../api/object.ts";
import { controllerOf } from "../api/owner-reference.ts";
import type { IndexDefinitions } from "../store/types.ts";

const byLabel = (key: string) => (object: KubeObject) => {
  const value = object.metadata.labels?.[key];
  return value === undefined ? [] : [value];
};

const byNode = (object: KubeObject) => {
  const node = (object as { spec?: { nodeName?: string } }).spec?.nodeName;
  return node === undefined ? [] : [node];
};

const byInvolvedObject = (object: KubeObject) => {
  const uid = (object as { involvedObject?: { uid?: string } }).involvedObject?.uid;
  return uid === undefined ? [] : [uid];
};

/**
 * Pods that have not ended, by the UID of their controller. They are few even if many have ended.
 */
export const ACTIVE_PODS = "active:controller";

const byActiveController = (object: KubeObject) => {
  const phase = (object as { status?: { phase?: string } }).status?.phase;
  if (phase === "Succeeded" || phase === "Failed") return NONE;
  const owner = controllerOf(object);
  return owner ? [owner.uid] : NONE;
};

const NONE: readonly string[] = [];

/** Most selective first: the first index that a selector can use is used. */
export const INDEXES: IndexDefinitions = {
  pods: {
    "label:batch.kubernetes.io/controller-uid": byLabel("batch.kubernetes.io/controller-uid"),
    "label:controller-uid": byLabel("controller-uid"),
    "label:batch.kubernetes.io/job-name": byLabel("batch.kubernetes.io/job-name"),
    "label:job-name": byLabel("job-name"),
    "field:spec.nodeName": byNode,
    [ACTIVE_PODS]: byActiveController,
  },
  events: {
    "field:involvedObject.uid": byInvolvedObject,
    "field:regarding.uid": byInvolvedObject,
  },
};
