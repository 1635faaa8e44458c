/**
 * Pure: one run as one line of shell. The slot that reads it
 *
 * 1. writes "b NUMBER" into its own file: a run without it was never read, and did not begin,
 * 2. goes to the working directory,
 * 3. forks; the fork sets umask and limits, opens the log, and becomes the command,
 * 4. writes "e NUMBER STATUS" into its own file (stderr of the slot), so that the end is known
 *    whoever is left to hear it,
 * 5. and tells the spawner (stdout of the slot).
 *
 * The fork is explicit, with the redirections inside: otherwise the shell's own remarks ("Killed",
 * "cannot create") would go to the log of the command. In the slot's file they tell a signal from
 * an exit code above 128, and a command that never ran from one that failed.
 */
import type { StartOrder } from "./protocol.ts";
import { quote } from "./quote.ts";
import type { Restored } from "./restore-settings.ts";

export interface ScriptFacts {
  /** Counts the runs of a spawner's records. */
  readonly number: number;
  /** What the command was found to be. */
  readonly executable: string;
  /** Names the run and those around it: see processes.ts. */
  readonly marker: string;
  /** How the run gets its own umask and limits; absent: it has those of the slot. */
  readonly restored?: Restored;
  /** Whether env(1) takes values from variables; absent: it does. */
  readonly envSplits?: () => boolean;
}

export const MARKER = "TALLY_RUN";

/** The slot outlives what its group is told, and a run dies of it: a fork has no traps. */
export const SLOT_PREAMBLE = "trap : TERM INT QUIT HUP USR1 USR2\n";

export function composeScript(order: StartOrder, facts: ScriptFacts): string {
  const { number, marker } = facts;
  const command = `${composeCommand(order, facts, marker)} ${composeFiles(order)}`;
  const run = `${facts.restored?.shell ?? ""}${command}`;
  // A shell exports where it is, which no container runtime does.
  const enter = `echo "b ${number}">&2;cd ${quote(order.directory)}&&unset PWD OLDPWD&&`;
  return `${enter}(${run});s=$?;echo "e ${number} $s">&2;echo "${number} $s"\n`;
}

export function composeFiles({ stdinFile, terminal, logFile, errorFile }: StartOrder): string {
  if (terminal !== undefined) return `<>${quote(terminal.path)} >&0 2>&0`;
  const input = stdinFile === undefined ? "/dev/null" : quote(stdinFile);
  const errors = errorFile === undefined ? "&1" : `>${quote(errorFile)}`;
  return `<${input} >>${quote(logFile)} 2>${errors}`;
}

function composeCommand(order: StartOrder, facts: ScriptFacts, marker: string): string {
  const { assignments, words } = composeAssignments(order, { ...facts, marker });
  return `${assignments}${words}`;
}

/** The variables as a shell sets them, and the command; between them there is room for a prefix. */
export function composeAssignments(
  order: Pick<StartOrder, "command" | "environment" | "terminal">,
  { executable, marker, restored, envSplits = () => true }: Omit<ScriptFacts, "number">,
  /** Names that only the command itself may be given. */
  late = NEVER,
): { readonly assignments: string; readonly words: string } {
  const [name = "", ...args] = order.command;
  const ours: [string, string] = [MARKER, marker];
  const environment = [...order.environment.filter(([each]) => each !== MARKER), ours];
  // A built-in would run inside the slot and differ from the program of that name.
  const program = BUILT_IN.has(name) ? executable : name;
  const leader = order.terminal === undefined ? [] : [order.terminal.setsid, "-c"];
  const { prefix = [] } = restored ?? {};
  const words = [...leader, ...prefix, program, ...args].map(quote).join(" ");
  const isPlain = (each: string) => isPlainName(each) && !late.test(each);
  const plain = environment.filter(([each]) => isPlain(each));
  const odd = environment.filter(([each]) => !isPlain(each));
  const assignments = assign(plain);
  if (odd.length === 0) return { assignments, words };
  if (envSplits()) {
    const carried = odd.map(([, value], at): Assigned => [`${CARRIER}${at}`, value]);
    return { assignments: assignments + assign(carried), words: `${renaming(odd)} ${words}` };
  }
  const oddWords = odd.map(([each, value]) => quote(`${each}=${value}`)).join(" ");
  return { assignments, words: `${ENV} ${oddWords} ${words}` };
}

type Assigned = readonly [name: string, value: string];

function assign(variables: readonly Assigned[]): string {
  return variables.map(([name, value]) => `${name}=${quote(value)} `).join("");
}

/** The arguments of a process can be read by everybody: they have names, and no values. */
function renaming(odd: readonly Assigned[]): string {
  const unset = odd.map((_, at) => `-u ${CARRIER}${at}`);
  const named = odd.map(([name], at) => {
    return `"${name.replace(/["$\\]/g, "\\$&")}=\${${CARRIER}${at}}"`;
  });
  return `${ENV} -S ${quote([...unset, "--", ...named].join(" "))}`;
}

/** Names of the variables that env(1) gives other names. */
const CARRIER = "TALLY_VALUE_";

const NEVER = /(?!)/;

/** Sets names that a shell cannot, at the price of one more exec. */
export const ENV = "/usr/bin/env";

function isPlainName(name: string): boolean {
  return SHELL_NAME.test(name) && !SHELL_OWN.test(name);
}

const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Variables with a meaning of their own in some shell: read-only, or checked when they are set. */
const SHELL_OWN = new RegExp(
  "^(_|BASH(_.*|OPTS|PID)?|HIST(CMD|CONTROL|FILE|FILESIZE|IGNORE|SIZE|TIMEFORMAT)" +
    "|MAIL(CHECK|PATH)?|OPT(ARG|ERR|IND)|DIRSTACK|ENV|E?UID|FUNCNAME|GROUPS|IFS|LINENO|PPID" +
    "|PS[0-9]|RANDOM|SECONDS|SHELLOPTS)$",
);

/** Of dash, busybox ash and bash. */
const BUILT_IN: ReadonlySet<string> = new Set(
  (
    ". : [ [[ alias bg bind break builtin caller case cd chdir command compgen complete compopt " +
    "continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash " +
    "help history if jobs kill let local logout mapfile popd printf pushd pwd read readarray " +
    "readonly return set shift shopt source suspend test time times trap true type typeset " +
    "ulimit umask unalias unset until wait while"
  ).split(" "),
);
