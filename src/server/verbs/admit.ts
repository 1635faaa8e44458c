/** How the verbs that write ask admission: in whose name, and with the warnings so far. */
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

/** All warnings; a client whose valid object is refused gets the earlier ones as well. */
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
