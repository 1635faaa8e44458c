/** Pure: what a shell has to know to complete commands, flags and the names of runs. */

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly CompletedFlag[];
  /** Whether its argument is the name of a run. */
  readonly takesRun: boolean;
}

export interface CompletedFlag {
  /** "--output" */
  readonly long: string;
  /** "-o" */
  readonly short: string | undefined;
  readonly description: string;
}

export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  switch (shell) {
    case "bash":
      return bashScript(commands);
    case "zsh":
      return zshScript(commands);
    case "fish":
      return fishScript(commands);
  }
}

/** Asked when somebody presses the key: it looks at the directory he is in. */
const RUN_NAMES = "tally list -o name 2>/dev/null";

function flagsOf({ flags }: CompletedCommand): readonly string[] {
  return flags.flatMap(({ long, short }) => (short === undefined ? [long] : [long, short]));
}

function namesOf(commands: readonly CompletedCommand[]): readonly string[] {
  return commands.map(({ name }) => name);
}

function runCommandsOf(commands: readonly CompletedCommand[]): string {
  return namesOf(commands.filter(({ takesRun }) => takesRun)).join("|");
}

function bashScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(
    (command) => `      ${command.name}) words="${flagsOf(command).join(" ")}" ;;`,
  );
  return `# bash completion for tally; for this shell: source <(tally completion bash)
_tally() {
  local word=\${COMP_WORDS[COMP_CWORD]} words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${namesOf(commands).join(" ")} help"
  elif [[ "$word" == -* ]]; then
    case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    esac
  else
    case "\${COMP_WORDS[1]}" in
      ${runCommandsOf(commands)}) words=$(${RUN_NAMES}) ;;
      help) words="${namesOf(commands).join(" ")}" ;;
      completion) words="${SHELLS.join(" ")}" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o bashdefault -o default -F _tally tally
`;
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const described = commands.map(
    ({ name, summary }) => `    ${quoted(`${name}:${plain(summary)}`)}`,
  );
  const cases = commands.map((command) => {
    const flags = command.flags.flatMap(({ long, short, description }) =>
      [long, short].flatMap((flag) =>
        flag === undefined ? [] : [quoted(`${flag}:${plain(description)}`)],
      ),
    );
    return `      ${command.name}) flags=(${flags.join(" ")}) ;;`;
  });
  return `#compdef tally
# zsh completion for tally; for this shell: source <(tally completion zsh)
_tally() {
  local -a commands flags runs
  commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  if [[ "$PREFIX" == -* ]]; then
    case "\${words[2]}" in
${cases.join("\n")}
    esac
    _describe flag flags
    return
  fi
  case "\${words[2]}" in
    ${runCommandsOf(commands)})
      runs=(\${(f)"$(${RUN_NAMES})"})
      compadd -a runs
      _files ;;
    help) _describe command commands ;;
    completion) compadd ${SHELLS.join(" ")} ;;
    *) _files ;;
  esac
}
compdef _tally tally
`;
}

/** A colon ends the name of what is described. */
function plain(text: string): string {
  return text.replaceAll(":", "\\:").replaceAll("\n", " ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const first = "-n __fish_use_subcommand";
  const lines = commands.flatMap(({ name, summary, flags, takesRun }) => {
    const within = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c tally -f ${first} -a ${name} -d ${fishQuoted(summary)}`,
      ...flags.map(({ long, short, description }) => {
        const letter = short === undefined ? "" : ` -s ${short.slice(1)}`;
        const about = fishQuoted(description);
        return `complete -c tally ${within} -l ${long.slice(2)}${letter} -d ${about}`;
      }),
      ...(takesRun ? [`complete -c tally ${within} -a '(${RUN_NAMES})'`] : []),
    ];
  });
  const shells = `complete -c tally -f -n '__fish_seen_subcommand_from completion'`;
  const use = "for this shell: tally completion fish | source";
  const all = [`# fish completion for tally; ${use}`, ...lines];
  return `${all.join("\n")}\n${shells} -a '${SHELLS.join(" ")}'\n`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", " ")}'`;
}
