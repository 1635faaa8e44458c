/** Pure: the answers to a patch that cannot be applied. */
import { ApiError, badRequest } from "../../api/errors.ts";

/** The operations do not fit the object; Kubernetes does not say which. */
export function unprocessable(): ApiError {
  const message = "the server rejected our request due to an error in our request";
  return new ApiError(422, "Invalid", message, {});
}

export function tooManyOperations(count: number, limit: number): ApiError {
  const problem = `The allowed maximum operations in a JSON patch is ${limit}, got ${count}`;
  return new ApiError(413, "RequestEntityTooLarge", `Request entity too large: ${problem}`);
}

/**
 * A strategic merge patch that makes no sense. Kubernetes answers most of these with a bare 500,
 * but it is the client who erred.
 */
export function badPatch(message: string): ApiError {
  return badRequest(message);
}
