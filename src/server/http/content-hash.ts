/** A short hash of a document's content. */
import { createHash } from "node:crypto";

export function contentHash(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32).toUpperCase();
}
