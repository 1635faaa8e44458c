/** Pure: the syntax of names, labels and keys. Each rule returns the problems it finds. */

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const OLD_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${QUALIFIED})?`;

const label = new RegExp(`^${LABEL}$`);
const oldLabel = new RegExp(`^${OLD_LABEL}$`);
const subdomain = new RegExp(`^${SUBDOMAIN}$`);
const qualified = new RegExp(`^${QUALIFIED}$`);
const value = new RegExp(`^${LABEL_VALUE}$`);

export const LABEL_MAX = 63;
export const SUBDOMAIN_MAX = 253;

export type NameRule = (text: string) => string[];

export function dns1123Label(text: string): string[] {
  const problems = text.length > LABEL_MAX ? [tooLong(LABEL_MAX)] : [];
  if (label.test(text)) return problems;
  const rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
    "and must start and end with an alphanumeric character";
  if (subdomain.test(text)) return [...problems, "must not contain dots"];
  return [...problems, regexProblem(rule, LABEL, ["my-name", "123-abc"])];
}

/** A label that does not begin with a digit. */
export function dns1035Label(text: string): string[] {
  const problems = text.length > LABEL_MAX ? [tooLong(LABEL_MAX)] : [];
  if (oldLabel.test(text)) return problems;
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
    "alphabetic character, and end with an alphanumeric character";
  return [...problems, regexProblem(rule, OLD_LABEL, ["my-name", "abc-123"])];
}

export function dns1123Subdomain(text: string): string[] {
  return subdomainProblems(text, tooLong);
}

function subdomainProblems(text: string, limit: (max: number) => string): string[] {
  const problems = text.length > SUBDOMAIN_MAX ? [limit(SUBDOMAIN_MAX)] : [];
  if (subdomain.test(text)) return problems;
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or " +
    "'.', and must start and end with an alphanumeric character";
  return [...problems, regexProblem(rule, SUBDOMAIN, ["example.com"])];
}

/** A label or annotation key: "[prefix/]name". */
export function qualifiedName(text: string): string[] {
  // Nearly all of them.
  if (text.length <= LABEL_MAX && qualified.test(text)) return [];
  const parts = text.split("/", 3);
  const rule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
    "alphanumeric character";
  const examples = ["MyName", "my.name", "123-abc"];
  const problems: string[] = [];
  let name = parts[0] ?? "";
  if (parts.length === 2) {
    const prefix = parts[0] ?? "";
    name = parts[1] ?? "";
    if (prefix === "") problems.push("prefix part must be non-empty");
    const ofPrefix = prefix === "" ? [] : subdomainProblems(prefix, tooManyBytes);
    problems.push(...ofPrefix.map((problem) => `prefix part ${problem}`));
  } else if (parts.length > 2) {
    const whole = `a valid label key ${regexProblem(rule, QUALIFIED, examples)}`;
    return [`${whole} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  if (name === "") problems.push("name part must be non-empty");
  else if (name.length > LABEL_MAX) problems.push(`name part ${tooManyBytes(LABEL_MAX)}`);
  if (!qualified.test(name)) {
    problems.push(`name part ${regexProblem(rule, QUALIFIED, examples)}`);
  }
  return problems;
}

export function labelValue(text: string): string[] {
  const problems = text.length > LABEL_MAX ? [tooManyBytes(LABEL_MAX)] : [];
  if (value.test(text)) return problems;
  const rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or " +
    "'.', and must start and end with an alphanumeric character";
  return [...problems, regexProblem(rule, LABEL_VALUE, ["MyValue", "my_value", "12345"])];
}

/** A name that is one segment of a URL path. */
export function pathSegment(text: string): string[] {
  if (text === "." || text === "..") return [`may not be '${text}'`];
  return ["/", "%"].filter((bad) => text.includes(bad)).map((bad) => `may not contain '${bad}'`);
}

/**
 * The rule for a generateName: the prefix is completed with characters that are valid anywhere,
 * so a trailing dash is fine.
 */
export function prefixOf(rule: NameRule): NameRule {
  return (text) => rule(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);
}

export function tooLong(max: number): string {
  return `must be no more than ${max} characters`;
}

export function tooManyBytes(max: number): string {
  return `must be no more than ${max} bytes`;
}

export function regexProblem(rule: string, pattern: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}'`).join(",  or ");
  return `${rule} (e.g. ${shown}, regex used for validation is '${pattern}')`;
}
