/** Pods as processes of this machine: what every runtime does. */
import { runtimeContract } from "./runtime-contract.ts";

runtimeContract({ name: "process", args: [] });
