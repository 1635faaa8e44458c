/** Pods as processes started by shells, as on a machine without the compiled helper. */
import { runtimeContract } from "./runtime-contract.ts";

runtimeContract({ name: "process, with shells", args: [], env: { TALLY_SLOTS: "shell" } });
