#!/usr/bin/env node
/** The binary: hands argv to the command line and the exit code back to the shell. */
import { runCommandLine } from "./cli/main.ts";

process.exitCode = await runCommandLine(process.argv.slice(2));
