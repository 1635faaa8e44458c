/** Returns the error of a request that must fail with an ApiError; otherwise the test fails. */
import { ApiError } from "../../src/api/errors.ts";

export async function refusal(request: Promise<unknown>): Promise<ApiError> {
  const outcome = await request.then(
    () => new Error("the request did not fail"),
    (error: unknown) => error,
  );
  if (outcome instanceof ApiError) return outcome;
  throw outcome;
}

/** The code and reason of the error: "404 NotFound". */
export async function refusalCode(request: Promise<unknown>): Promise<string> {
  const { code, reason } = await refusal(request);
  return `${code} ${reason}`;
}
