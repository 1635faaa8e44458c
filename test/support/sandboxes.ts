/** Checks whether this machine can create sandboxes. */
import { findTools } from "../../src/agent/spawner/sandbox/tools.ts";

const { problem } = findTools().can;

/** The reason why it cannot, for the name of a skipped test; empty if it can. */
export const withoutSandboxes = problem === undefined ? "" : `(skipped: ${problem})`;
