/** Pods in sandboxes: what every runtime does. Tests and containers share a directory. */
import { tmpdir } from "node:os";
import { runtimeContract } from "./runtime-contract.ts";

const args = ["--default-runtime=sandbox", `--sandbox-share=${tmpdir()}`];

runtimeContract({ name: "sandbox", args });
