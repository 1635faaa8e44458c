/** Pure: the errors for patches that cannot be applied. */
import { ApiError, badRequest } from "../../api/errors.ts";

/** The operations do not fit the object; Kubernetes does not report which one. */
export function unprocessable(): ApiError {
  const message = "the server rejected our request due to an error in our request";
  return new ApiError(422, "Invalid", message, {});
}

export function tooManyOperations(count: number, limit: number): ApiError {
  const problem = `The allowed maximum operations in a JSON patch is ${limit}, got ${count}`;
  return new ApiError(413, "RequestEntityTooLarge", `Request entity too large: ${problem}`);
}

/**
 * An invalid strategic merge patch. Kubernetes answers most of these with a bare 500, although it
 * is a mistake of the client.
 */
export function badPatch(message: string): ApiError {
  return badRequest(message);
}
