/** How the writing verbs call admission: with the user, and with the warnings so far. */
import { ApiError } from "../../api/errors.ts";
import type { AdmissionRequest } from "../admission/plugin.ts";
import type { ServerContext, WriteOptions } from "../context.ts";

export function requester({
  user,
  annotate,
  dryRun,
}: WriteOptions): Pick<AdmissionRequest, "user" | "annotate" | "dryRun"> {
  return { ...(user ? { user } : {}), ...(annotate ? { annotate } : {}), dryRun };
}

/**
 * All warnings. If admission rejects a valid object, its error also carries the earlier warnings.
 */
export function settle(
  server: ServerContext,
  request: AdmissionRequest,
  warnings: readonly string[],
): readonly string[] {
  try {
    return [...warnings, ...server.admission.settle(request)];
  } catch (error) {
    if (error instanceof ApiError) error.withWarnings([...warnings, ...error.warnings]);
    throw error;
  }
}
