/** The program: hands argv to the command line and the exit code back to the shell. */
import { runCommandLine } from "./cli/main.ts";

// Not awaited: what is loaded as CommonJS has no waiting at its top.
void runCommandLine(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
