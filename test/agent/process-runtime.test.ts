/** Pods as processes of this machine: the contract of all runtimes. */
import { runtimeContract } from "./runtime-contract.ts";

runtimeContract({ name: "process", args: [] });
