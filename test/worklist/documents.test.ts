/** Every "tally run" in the guides is read by the real flags and composed. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { composeManifests } from "../../src/runs/compose/compose-manifests.ts";
import { composeRun } from "../../src/runs/compose/compose-run.ts";
import { readTyped } from "./typed.ts";

const FILES = {
  list: "a\nb\n",
  "list.txt": "a\nb\n",
  "-": "a\nb\n",
  "photos.txt": "a.jpg\n",
  "hosts.txt": "localhost\n",
  "commands.txt": "echo one\n",
  "t.csv": "file\na.txt\n",
  "fruits.csv": "FRUIT,COLOR\napple,green\n",
  "x.log": "",
  "x.jpg": "",
  "x.txt": "",
  "files.txt": "a.jpg\n",
  "urls.txt": "http://localhost/a\n",
  "people.csv": "NAME,CITY\nAda,London\n",
};

function documentText(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}

/** These are for a cluster, for a run that exists, or for a manifest: not for a list. */
const OTHERS = /--context|--resume|--data|--asTemplate|--runAt|run -f/;

/** In code spans of tables, and in indented blocks with lines that go on. */
function commandsIn(text: string): readonly string[] {
  const spans = [...text.matchAll(/`([^`\n]*tally run [^`\n]*)`/g)].map(([, span = ""]) => span);
  const blocks = [...text.matchAll(/^ {4}((?:.*\\\n)*.*)$/gm)].map(([, block = ""]) => block);
  return [...spans.map((span) => span.replaceAll("\\|", "|")), ...blocks]
    .map((command) => command.replace(/^\$ /, ""))
    .filter((command) => /(?:^|\| )tally run /.test(command))
    .filter((command) => !/…|--$|\[NAME\]/.test(command) && !OTHERS.test(command))
    .map((command) => command.replace(/ \| kubectl .*$/, ""));
}

const GUIDES = ["work-lists", "migration", "run", "results", "cli", "clusters", "workflows"];
const PATHS = ["README.md", ...GUIDES.map((name) => `docs/${name}.md`)];

const COMMANDS = PATHS.flatMap((path) => commandsIn(documentText(path)));

test("the guides have commands", () => {
  expect(COMMANDS.length).toBeGreaterThan(20);
});

test.each(COMMANDS)("%s", async (command) => {
  const request = await readTyped(command, FILES);
  const compose = command.includes("--dry-run") ? composeManifests : composeRun;
  expect(() => compose(request)).not.toThrow();
  const unnamed = request.placeholders?.parameters;
  if (unnamed === undefined) return;
  const [container] = composeRun(request).job.spec.template.spec.containers ?? [];
  expect(container?.command?.join(" ")).toMatch(/\$\(|\$ITEM/);
});
