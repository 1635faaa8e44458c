/** Pure: references to variables, as Kubernetes expands them in commands and environments. */

export function reference(variable: string): string {
  return `$(${variable})`;
}

/** Text that Kubernetes expands to itself: "$$" is "$" to it, and "$(" begins a reference. */
export function escapeText(text: string): string {
  return text.includes("$") ? text.replaceAll(/\$\$+|\$(?=\()/g, doubled) : text;
}

/** The same for text in front of a reference: a "$" at its end would join that of the reference. */
export function escapeBefore(text: string): string {
  return text.includes("$") ? text.replaceAll(/\$\$+|\$(?=\()|\$$/g, doubled) : text;
}

function doubled(dollars: string): string {
  return dollars + dollars;
}
