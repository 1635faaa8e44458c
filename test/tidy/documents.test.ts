/** Checks the documents: their links work, and every annotation and label of Tally is explained. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { isTest } from "./rules.ts";
import { ROOT, readTree } from "./source.ts";

const ROOT_FILES = ["README.md", "ARCHITECTURE.md", "STYLE.md", "CONTRIBUTING.md"];

const DOCUMENTS = [
  ...ROOT_FILES.map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") })),
  ...["docs", "examples"].flatMap((folder) => readTree(folder, [".md"])),
];

/** The anchors that GitHub generates: "## How it is stored" becomes "how-it-is-stored". */
function anchorsOf(path: string): readonly string[] {
  const headings = readFileSync(join(ROOT, path), "utf8").matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function isBroken(from: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const path = file === "" ? from : normalize(join(dirname(from), file));
  if (!existsSync(join(ROOT, path))) return true;
  return anchor !== undefined && !anchorsOf(path).includes(anchor);
}

test("every link between documents leads to a file and a heading that exist", () => {
  const broken = DOCUMENTS.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = ""]) => link)
      .filter((link) => !/^https?:/.test(link) && isBroken(path, link))
      .map((link) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
});

/** Labels on containers of Docker or Podman, which only the agent reads. */
const INTERNAL = ["error-log", "image-id", "log", "place"].map((name) => `tallyjob.io/${name}`);
/** Annotations on the Lease of the controllers, which only "tally run --context" reads. */
const OF_THE_LEASE = ["managed-by", "managed-namespace"].map((name) => `tallyjob.io/${name}`);

test("every annotation and label of Tally's own is documented", () => {
  const sources = readTree("src", [".ts"]).filter(({ path }) => !isTest(path));
  const names = sources.flatMap(({ text }) =>
    [...text.matchAll(/"(tallyjob\.io\/[a-z-]+)"/g)].map(([, name = ""]) => name),
  );
  const texts = DOCUMENTS.map(({ text }) => text).join("\n");
  const known = [...INTERNAL, ...OF_THE_LEASE];
  const unknown = [...new Set(names)].filter(
    (name) => !known.includes(name) && !new RegExp(`${name}(?![a-z-])`).test(texts),
  );
  expect(unknown).toEqual([]);
});
