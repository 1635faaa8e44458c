/** Pure: one address and port that is listened on, whatever is spoken there. */
import type { Frontend } from "./plan.ts";

export interface OpenFrontend {
  update(frontend: Frontend): void;
  close(): Promise<void>;
}
