/** Reads the error that a server answers to a rejected request. */
import type { ApiError, Status } from "../api/errors.ts";
import { type BinaryForm, isIn } from "./binary-form.ts";
import { type HttpAnswer, wholeBytes, wholeText } from "./http-connection.ts";
import { errorOf, errorOfStatus } from "./http-errors.ts";

export async function refusalOf(
  answer: HttpAnswer,
  form: BinaryForm | undefined,
): Promise<ApiError> {
  const { status } = answer;
  if (!isIn(form, answer)) return errorOf(status, await wholeText(answer));
  return errorOfStatus(form.decode(await wholeBytes(answer)) as Status, status);
}
