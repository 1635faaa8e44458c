/**
 * Every command of the original design of indexed Jobs, but for its part on workflows, as it is
 * typed there, with tally for kubectl. Where the document mistypes, both are here: what is typed,
 * and what was meant. docs/compatibility.md lists these.
 */
import { expect, test } from "vitest";
import { processOf } from "./process-of.ts";
import { readTyped } from "./typed.ts";

interface Case {
  readonly script: string;
  readonly files?: { readonly [name: string]: string };
  readonly image: string;
  readonly restart?: string;
  /** By index: the command, and the variables that differ. */
  readonly processes: readonly {
    readonly command: readonly string[];
    readonly variables: { readonly [name: string]: string };
  }[];
}

const FILES = ["12342.dat", "97283.dat", "38732.dat"];

const PROCESS_FILES = {
  image: "myfileprocessor",
  restart: "OnFailure",
  processes: FILES.map((file) => ({
    command: ["/usr/local/bin/process_file", file],
    variables: { F: file },
  })),
};

const MATRIX = [
  ["0", "15", "0", "15"],
  ["16", "31", "0", "15"],
  ["0", "15", "16", "31"],
  ["16", "31", "16", "31"],
];

const MATRIX_LINES = MATRIX.map(
  ([sr, er, sc, ec]) =>
    `/usr/local/bin/process_matrix_block -start_row ${sr} -end_row ${er} ` +
    `-start_col ${sc} --end_col ${ec}`,
);

const SAY_FRUIT = ["sh", "-c", 'echo "Have a nice $COLOR $FRUIT" && sleep 5'];

function fruits(colors: readonly string[]) {
  return ["apple", "banana", "cherry"].map((FRUIT, at) => ({
    command: SAY_FRUIT,
    variables: { FRUIT, COLOR: colors[at] ?? "" },
  }));
}

const GREEN_YELLOW_RED = fruits(["green", "yellow", "red"]);
const TYPED_TWICE = fruits(["apple", "banana", "cherry"]);
const WRITE_LISTS = `echo "apple banana cherry" > fruits.txt
echo "green yellow red" > colors.txt
`;
const LISTS = { "fruits.txt": "apple banana cherry\n", "colors.txt": "green yellow red\n" };

const CASES: { readonly [name: string]: Case } = {
  "work list 1": {
    script: `tally run process-files --image=myfileprocessor \\
   --per-completion-env=F="12342.dat 97283.dat 38732.dat" \\
   --restart=OnFailure  \\
   -- \\
   /usr/local/bin/process_file '$F'
`,
    ...PROCESS_FILES,
  },
  "the list through the shell": {
    script: `tally run process-files --image=myfileprocessor \\
   --per-completion-env=F="$(cat files-to-process.txt)" \\
   --restart=OnFailure  \\
   -- \\
   /usr/local/bin/process_file '$F'
`,
    files: { "files-to-process.txt": `${FILES.join("\n")}\n` },
    ...PROCESS_FILES,
  },
  "the list from a file": {
    script: `tally run process-files --image=myfileprocessor \\
   --per-completion-env=F=@files-to-process.txt \\
   --restart=OnFailure  \\
   -- \\
   /usr/local/bin/process_file '$F'
`,
    files: { "files-to-process.txt": `${FILES.join("\n")}\n` },
    ...PROCESS_FILES,
  },
  "complete command lines": {
    script: `tally run process-matrix --image=my/matrix \\
   --per-completion-env=COMMAND_LINE=@matrix-commandlines.txt \\
   --restart=OnFailure  \\
   -- \\
   'eval "$COMMAND_LINE"'
`,
    files: { "matrix-commandlines.txt": `${MATRIX_LINES.join("\n")}\n` },
    image: "my/matrix",
    restart: "OnFailure",
    processes: MATRIX_LINES.map((line) => ({
      command: ["sh", "-c", 'eval "$COMMAND_LINE"'],
      variables: { COMMAND_LINE: line },
    })),
  },
  "several parameters, with the quotes that the document forgets, and SC where it has ER": {
    script: `tally run process-matrix --image=my/matrix \\
   --per-completion-env=SR="0 16 0 16" \\
   --per-completion-env=ER="15 31 15 31" \\
   --per-completion-env=SC="0 0 16 16" \\
   --per-completion-env=EC="15 15 31 31" \\
   --restart=OnFailure  \\
   -- \\
   /usr/local/bin/process_matrix_block -start_row '$SR' -end_row '$ER' \\
   -start_col '$SC' --end_col '$EC'
`,
    image: "my/matrix",
    restart: "OnFailure",
    processes: MATRIX.map(([SR = "", ER = "", SC = "", EC = ""]) => ({
      command: [
        "/usr/local/bin/process_matrix_block",
        ...["-start_row", SR, "-end_row", ER, "-start_col", SC, "--end_col", EC],
      ],
      variables: { SR, ER, SC, EC },
    })),
  },
  "several parameters as typed, which the user's own shell takes away": {
    script: `tally run process-matrix --image=my/matrix \\
   --per-completion-env=SR="0 16 0 16" \\
   --per-completion-env=ER="15 31 15 31" \\
   --per-completion-env=SC="0 0 16 16" \\
   --per-completion-env=EC="15 15 31 31" \\
   --restart=OnFailure  \\
   -- \\
   /usr/local/bin/process_matrix_block -start_row $SR -end_row $ER -start_col $ER --end_col $EC 
`,
    image: "my/matrix",
    restart: "OnFailure",
    processes: MATRIX.map(([SR = "", ER = "", SC = "", EC = ""]) => ({
      command: [
        "/usr/local/bin/process_matrix_block",
        ...["-start_row", "-end_row", "-start_col", "--end_col"],
      ],
      variables: { SR, ER, SC, EC },
    })),
  },
  "the index in a variable": {
    script: `tally run say-number --image=busybox \\
   --completions=3 \\
   --completion-index-var-name=I \\
   -- \\
   sh -c 'echo "My index is $I" && sleep 5' 
`,
    image: "busybox",
    processes: ["0", "1", "2"].map((I) => ({
      command: ["sh", "-c", 'echo "My index is $I" && sleep 5'],
      variables: { I },
    })),
  },
  "two lists": {
    script: `tally run say-fruit --image=busybox \\
   --per-completion-env=FRUIT="apple banana cherry" \\
   --per-completion-env=COLOR="green yellow red" \\
   -- \\
   sh -c 'echo "Have a nice $COLOR $FRUIT" && sleep 5' 
`,
    image: "busybox",
    processes: GREEN_YELLOW_RED,
  },
  "two lists through the shell": {
    script: `${WRITE_LISTS}
tally run say-fruit --image=busybox \\
   --per-completion-env=FRUIT="$(cat fruits.txt)" \\
   --per-completion-env=COLOR="$(cat colors.txt)" \\
   -- \\
   sh -c 'echo "Have a nice $COLOR $FRUIT" && sleep 5' 
`,
    image: "busybox",
    processes: GREEN_YELLOW_RED,
  },
  "two lists through the shell, with the file that the document takes twice": {
    script: `${WRITE_LISTS}
tally run say-fruit --image=busybox \\
   --per-completion-env=FRUIT="$(cat fruits.txt)" \\
   --per-completion-env=COLOR="$(cat fruits.txt)" \\
   -- \\
   sh -c 'echo "Have a nice $COLOR $FRUIT" && sleep 5' 
`,
    image: "busybox",
    processes: TYPED_TWICE,
  },
  "two lists from files": {
    script: `tally run say-fruit --image=busybox \\
   --per-completion-env=FRUIT=@fruits.txt \\
   --per-completion-env=COLOR=@colors.txt \\
   -- \\
   sh -c 'echo "Have a nice $COLOR $FRUIT" && sleep 5' 
`,
    files: LISTS,
    image: "busybox",
    processes: GREEN_YELLOW_RED,
  },
  "two lists from files, with the file that the document takes twice": {
    script: `tally run say-fruit --image=busybox \\
   --per-completion-env=FRUIT=@fruits.txt \\
   --per-completion-env=COLOR=@fruits.txt \\
   -- \\
   sh -c 'echo "Have a nice $COLOR $FRUIT" && sleep 5' 
`,
    files: LISTS,
    image: "busybox",
    processes: TYPED_TWICE,
  },
};

test.each(Object.entries(CASES))("%s", async (_, { script, files, image, restart, processes }) => {
  const request = await readTyped(script, files);
  expect(request.image).toBe(image);
  expect(request.failure?.restart).toBe(restart);
  processes.forEach(({ command, variables }, index) => {
    const ran = processOf(request, index);
    expect(ran.command).toEqual(command);
    expect(ran.completions).toBe(processes.length);
    for (const [name, value] of Object.entries(variables)) {
      expect([name, ran.environment.get(name)]).toEqual([name, value]);
    }
  });
});

test("multiple substitution: a variable and two arguments for each item", async () => {
  const request = await readTyped(
    `tally run process-fruit --per-completion-env=FRUIT_COLOR="green yellow red" \\
       --per-completion-arg="apple.txt banana.txt cherry.txt" \\
       --per-completion-arg="--remove-seeds '' --remove-pit" \\
       -- process-fruit -a -b -c -f`,
  );
  expect([0, 1, 2].map((index) => processOf(request, index).command)).toEqual([
    ["process-fruit", "-a", "-b", "-c", "-f", "apple.txt", "--remove-seeds"],
    ["process-fruit", "-a", "-b", "-c", "-f", "banana.txt"],
    ["process-fruit", "-a", "-b", "-c", "-f", "cherry.txt", "--remove-pit"],
  ]);
  expect(processOf(request, 1).environment.get("FRUIT_COLOR")).toBe("yellow");
});
