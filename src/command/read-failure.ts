/** Pure: why a file could not be read, in plain words. */
import { describeError } from "../base/describe-error.ts";

const WORDS: { readonly [code: string]: string } = {
  ENOENT: "there is no such file",
  EISDIR: "it is a directory",
  EACCES: "it may not be read",
};

export function readFailure(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return WORDS[code] ?? describeError(error);
}
