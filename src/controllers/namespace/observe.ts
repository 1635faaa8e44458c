/** Lists the objects of a resource type in a namespace, before and after their deletion. */
import type { Client, ResourceType } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { customResourceDefinitions } from "../../api/resources.ts";
import { customTypesOf } from "../runtime/custom-types.ts";

/** The resource types defined by users, one version of each. */
export async function observeCustomTypes(client: Client): Promise<readonly ResourceType[]> {
  const { items } = await client.list(customResourceDefinitions);
  return items.flatMap((definition) => customTypesOf(definition).slice(0, 1));
}

export async function observeContent(
  client: Client,
  type: ResourceType,
  namespace: string,
): Promise<readonly KubeObject[]> {
  try {
    return (await client.list(type, { namespace })).items;
  } catch (error) {
    // A resource type that cannot be listed has no objects to delete.
    if (error instanceof ApiError && [404, 405].includes(error.code)) return [];
    throw error;
  }
}
