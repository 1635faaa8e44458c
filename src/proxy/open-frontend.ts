/** Pure: an address and port that is listened on, for any protocol. */
import type { Frontend } from "./plan.ts";

export interface OpenFrontend {
  update(frontend: Frontend): void;
  close(): Promise<void>;
}
