/** Pure: finds the script in commands such as "sh -c SCRIPT". */

const SHELLS: readonly string[] = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"];
/** Options of shells that take an argument. */
const WITH_WORD = /^[-+][A-Za-z]*[oO]$|^--(rcfile|init-file)$/;

/** The position of the script in the command. */
export function findScript(command: readonly string[]): number | undefined {
  const shellAt = findShell(command);
  if (shellAt === undefined) return undefined;
  let hasScript = false;
  for (let at = shellAt + 1; at < command.length; at++) {
    const word = command[at] ?? "";
    const isOption = /^[-+]./.test(word) && word !== "--";
    if (!isOption) return hasScript ? at + (word === "--" ? 1 : 0) : undefined;
    if (/^-[A-Za-z]*c[A-Za-z]*$/.test(word)) hasScript = true;
    if (WITH_WORD.test(word)) at++;
  }
  return undefined;
}

/** Whether a program of the command expands "$NAME" in its arguments. */
export function readsVariables(command: readonly string[]): boolean {
  return command.some((word, at) => {
    const program = word.replace(/^.*\//, "");
    if (READERS.includes(program)) return true;
    return SHELLS.includes(program) && findScript(command.slice(at)) !== undefined;
  });
}

/** Programs with variables that begin with "$", or that pass their arguments to a shell. */
const READERS: readonly string[] = [
  ...["awk", "gawk", "mawk", "nawk", "perl", "php", "ruby", "jq", "make", "tclsh", "pwsh"],
  ...["envsubst", "su", "runuser", "script", "flock", "watch", "parallel", "hyperfine"],
];

/** The shell, also behind env, nice and similar programs. */
function findShell(command: readonly string[]): number | undefined {
  for (let at = 0; at < command.length; at++) {
    const program = (command[at] ?? "").replace(/^.*\//, "");
    if (SHELLS.includes(program)) return at;
    if (program === "busybox") continue;
    if (!WRAPPERS.includes(program)) return undefined;
    while (/^-|^[A-Za-z_][A-Za-z0-9_]*=|^[0-9.]+[smhd]?$/.test(command[at + 1] ?? "")) at++;
  }
  return undefined;
}

const WRAPPERS: readonly string[] = ["env", "nice", "nohup", "time", "timeout", "exec", "stdbuf"];
