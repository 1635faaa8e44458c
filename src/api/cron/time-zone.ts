/** Pure: whether a name is in the IANA time zone database. */

const CANONICAL: ReadonlySet<string> = new Set(Intl.supportedValuesOf("timeZone"));
const FOLDED: ReadonlySet<string> = new Set([...CANONICAL].map((name) => name.toLowerCase()));

/** Abbreviations that the runtime also accepts, but that are not in the database. */
const ABBREVIATIONS: ReadonlySet<string> = new Set([
  ...["ACT", "AET", "AGT", "ART", "AST", "BET", "BST", "CAT", "CNT", "CST", "CTT", "EAT", "ECT"],
  ...["IET", "IST", "JST", "MIT", "NET", "NST", "PLT", "PNT", "PRT", "PST", "SST", "VST"],
]);

/** The database is case-sensitive, the runtime is not. */
export function isTimeZone(name: string): boolean {
  if (CANONICAL.has(name) || name === "UTC") return true;
  if (FOLDED.has(name.toLowerCase()) || ABBREVIATIONS.has(name)) return false;
  return hasDatabaseCase(name) && isKnownToRuntime(name);
}

/**
 * The remaining candidates are old names, such as "US/Pacific" or "Etc/GMT+5". They are checked by
 * their spelling.
 */
function hasDatabaseCase(name: string): boolean {
  const region = name.includes("/") ? name.slice(0, name.indexOf("/")) : "";
  if (region === "SystemV" || (isLoud(region) && region !== "US")) return false;
  return name
    .split(/[/_-]/)
    .every((word) => /^([A-Z0-9+]|of$|es$|au$)/.test(word) && !(isLoud(word) && word.length > 3));
}

function isLoud(word: string): boolean {
  return /^[A-Z]+$/.test(word) && word !== "CHAT";
}

function isKnownToRuntime(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
