/** Reads and changes objects that may not exist. */
import type { Client, Name, ResourceType } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { KubeObject } from "../api/object.ts";

export async function findObject<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  name: Name,
): Promise<T | undefined> {
  try {
    return await client.get(type, name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** For changes to an object that may be gone. */
export async function unlessGone(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.reason === "NotFound";
}
