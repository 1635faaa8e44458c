/** Pure: commands that are a shell with a script. */

const SHELLS: readonly string[] = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"];
/** Options of shells that take a word of their own. */
const WITH_WORD = /^[-+][A-Za-z]*[oO]$|^--(rcfile|init-file)$/;

/** Where in the command the script of "sh -c SCRIPT" is. */
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

/** Whether some program of the command replaces "$NAME" in what it is given. */
export function readsVariables(command: readonly string[]): boolean {
  return command.some((word, at) => {
    const program = word.replace(/^.*\//, "");
    if (READERS.includes(program)) return true;
    return SHELLS.includes(program) && findScript(command.slice(at)) !== undefined;
  });
}

/** They have variables that begin with a dollar, or hand what they are given to a shell. */
const READERS: readonly string[] = [
  ...["awk", "gawk", "mawk", "nawk", "perl", "php", "ruby", "jq", "make", "tclsh", "pwsh"],
  ...["envsubst", "su", "runuser", "script", "flock", "watch", "parallel", "hyperfine"],
];

/** A shell, or one that env, nice and the like start. */
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
