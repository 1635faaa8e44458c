#!/usr/bin/env node
/** The binary: loads the program, which is a bundle of its own, as it was compiled before. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { reuseCompiledCode } from "./base/compiled-code.ts";

const sources = path.join(import.meta.dirname, ".source-hash");
// Without it nobody knows which bundle this is: then it is compiled each time.
if (existsSync(sources)) {
  const version = readFileSync(sources, "utf8").slice(0, 16);
  reuseCompiledCode({ directory: path.join(import.meta.dirname, "program"), version });
}
createRequire(import.meta.url)("./program/main.cjs");
