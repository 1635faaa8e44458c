/** The error of a request that must fail: an ApiError, or the test fails. */
import { ApiError } from "../../src/api/errors.ts";

export async function refusal(request: Promise<unknown>): Promise<ApiError> {
  const outcome = await request.then(
    () => new Error("the request did not fail"),
    (error: unknown) => error,
  );
  if (outcome instanceof ApiError) return outcome;
  throw outcome;
}

/** "404 NotFound", what programs look at. */
export async function refusalCode(request: Promise<unknown>): Promise<string> {
  const { code, reason } = await refusal(request);
  return `${code} ${reason}`;
}
