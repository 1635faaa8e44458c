/**
 * Pure: tables of mounts in the form of fstab(5), which one mount(8) works through: to start it
 * costs more than all of its mounts.
 */

export interface Entry {
  readonly source: string;
  readonly target: string;
  /** "none" for a bind. */
  readonly type: string;
  readonly options: string;
}

export function formatTable(entries: readonly Entry[]): string {
  return entries.map(formatEntry).join("");
}

export function bind(source: string, target: string, options = "bind"): Entry {
  return { source, target, type: "none", options };
}

function formatEntry({ source, target, type, options }: Entry): string {
  return `${[source, target, type, options].map(escapeField).join(" ")} 0 0\n`;
}

/** What separates fields and lines, as getmntent(3) has it; "#" begins a comment. */
function escapeField(text: string): string {
  return text.replace(/[\s\\#]/g, (each) => {
    return `\\${each.charCodeAt(0).toString(8).padStart(3, "0")}`;
  });
}
