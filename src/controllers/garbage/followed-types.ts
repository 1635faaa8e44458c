/**
 * The resource types in the dependency graph: the built-in ones passed to the collector, and those
 * that CustomResourceDefinitions add while it runs.
 */
import type { Closable, ResourceType } from "../../api/client.ts";
import type { CustomResourceDefinition } from "../../api/generated/apiextensions.ts";
import type { KubeObject } from "../../api/object.ts";
import { customResourceDefinitions } from "../../api/resources.ts";
import { type Cache, openCache } from "../../client/cache.ts";
import type { ControllerContext } from "../runtime/controller.ts";
import { customTypesOf } from "../runtime/custom-types.ts";
import { apiVersionOf } from "./node.ts";

export interface FollowedType {
  readonly type: ResourceType;
  readonly cache: Cache<KubeObject>;
}

export interface FollowedTypes extends Closable {
  /** Resource types by the apiVersion and kind used in owner references. */
  readonly ownerTypes: ReadonlyMap<string, ResourceType>;
  readonly initial: readonly FollowedType[];
  /** Called for each resource type that is added later. */
  onAdded(listener: (added: FollowedType) => void): void;
}

export async function followTypes(
  context: ControllerContext,
  types: readonly ResourceType[],
): Promise<FollowedTypes> {
  const { client, clock, random, log } = context;
  const open = async (type: ResourceType): Promise<FollowedType> => {
    return { type, cache: await openCache({ client, type, clock, random, log }) };
  };
  const definitions = await openCache({
    client,
    type: customResourceDefinitions,
    clock,
    random,
    log,
  });
  const ownerTypes = new Map<string, ResourceType>();
  const name = (type: ResourceType) => ownerTypes.set(ownerKey(type), type);
  for (const type of types) name(type);
  const initial = await Promise.all(types.filter(isCollected).map(open));
  /** By name of the definition: its resource type, once its cache is open. */
  const custom = new Map<string, FollowedType | undefined>();
  let onAdded: (added: FollowedType) => void = () => {};
  let isClosed = false;
  const taken = new Set(types.map(({ group, resource }) => `${resource}.${group}`));
  const follow = async (
    definition: CustomResourceDefinition,
  ): Promise<FollowedType | undefined> => {
    const key = definition.metadata.name ?? "";
    const [type, ...older] = customTypesOf(definition);
    if (!type || taken.has(key)) return undefined;
    for (const each of [type, ...older]) name(each);
    if (custom.has(key)) return undefined;
    custom.set(key, undefined);
    try {
      const followed = await open(type);
      // The definition may have been deleted meanwhile.
      if (isClosed || !custom.has(key)) {
        followed.cache.close();
        return undefined;
      }
      custom.set(key, followed);
      return followed;
    } catch (error) {
      // The resource is already gone, or not served yet. The next change of the definition triggers
      // a retry.
      custom.delete(key);
      log.debug("cannot watch a resource", { resource: key, error: String(error) });
      return undefined;
    }
  };
  const known = await Promise.all(definitions.list().map(follow));
  definitions.onChange(({ type, object }) => {
    const key = object.metadata.name ?? "";
    if (type === "DELETED") {
      custom.get(key)?.cache.close();
      custom.delete(key);
      for (const each of customTypesOf(object)) {
        if (!taken.has(key)) ownerTypes.delete(ownerKey(each));
      }
      return;
    }
    void follow(object).then((followed) => followed && onAdded(followed));
  });
  return {
    ownerTypes,
    initial: [...initial, ...known.filter((each) => each !== undefined)],
    onAdded: (listener) => {
      onAdded = listener;
    },
    close: () => {
      isClosed = true;
      definitions.close();
      for (const { cache } of initial) cache.close();
      for (const followed of custom.values()) followed?.cache.close();
    },
  };
}

function ownerKey(type: ResourceType): string {
  return `${apiVersionOf(type)} ${type.kind}`;
}

/** Events are excluded: there are many, and they neither own objects nor are owned. */
function isCollected({ resource }: ResourceType): boolean {
  return resource !== "events";
}
