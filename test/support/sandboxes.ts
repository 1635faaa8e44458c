/** Whether this machine can make sandboxes. */
import { findTools } from "../../src/agent/spawner/sandbox/tools.ts";

const { problem } = findTools().can;

/** Why not, for the name of a test that is skipped; empty where it can. */
export const withoutSandboxes = problem === undefined ? "" : `(skipped: ${problem})`;
