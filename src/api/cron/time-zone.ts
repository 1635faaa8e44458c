/** Pure: whether a name is one of the IANA time zone database. */

const CANONICAL: ReadonlySet<string> = new Set(Intl.supportedValuesOf("timeZone"));
const FOLDED: ReadonlySet<string> = new Set([...CANONICAL].map((name) => name.toLowerCase()));

/** Abbreviations the runtime knows besides: they name no zone of the database. */
const ABBREVIATIONS: ReadonlySet<string> = new Set([
  ...["ACT", "AET", "AGT", "ART", "AST", "BET", "BST", "CAT", "CNT", "CST", "CTT", "EAT", "ECT"],
  ...["IET", "IST", "JST", "MIT", "NET", "NST", "PLT", "PNT", "PRT", "PST", "SST", "VST"],
]);

/** The longest name of the database has 32 characters. */
const LONGEST_NAME = 64;

/** The database tells Europe/Paris from europe/paris, the runtime does not. */
export function isTimeZone(name: string): boolean {
  if (name.length > LONGEST_NAME) return false;
  if (CANONICAL.has(name) || name === "UTC") return true;
  if (FOLDED.has(name.toLowerCase()) || ABBREVIATIONS.has(name)) return false;
  return hasDatabaseCase(name) && isKnownToRuntime(name);
}

/** What remains are old names, "US/Pacific" or "Etc/GMT+5": judged by how they are spelled. */
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
