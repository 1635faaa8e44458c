/** Pods as processes that shells start, as on a machine without compiled slots. */
import { runtimeContract } from "./runtime-contract.ts";

runtimeContract({ name: "process, with shells", args: [], env: { TALLY_SLOTS: "shell" } });
