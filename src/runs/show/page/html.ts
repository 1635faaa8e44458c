/** Pure: escapes text for HTML. */

const ENTITIES: { readonly [letter: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function html(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);
}

/** A link to a file. */
export function link(path: string, text: string): string {
  const address = path.split("/").map(encodeURIComponent).join("/");
  return `<a href="${html(address)}">${html(text)}</a>`;
}
