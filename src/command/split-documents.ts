/** Pure: the documents of a manifest: YAML between lines of "---", or JSON texts in a row. */

export function splitDocuments(text: string): readonly string[] {
  const documents = /^\s*\{/.test(text) ? splitJson(text) : text.split(/^---(?:[ \t].*)?\r?$/m);
  return documents.filter((document) => !isEmpty(document));
}

/** Documents that contain only comments are skipped. */
function isEmpty(document: string): boolean {
  return document.split("\n").every((line) => /^\s*(#.*)?$/.test(line));
}

function splitJson(text: string): readonly string[] {
  const documents: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (token === "{") depth += 1;
    if (token !== "}") continue;
    depth -= 1;
    if (depth > 0) continue;
    documents.push(text.slice(start, index + 1));
    start = index + 1;
  }
  return [...documents, text.slice(start)];
}
