/**
 * Numbers about what the program does, in Prometheus' text form. A metric is asked for by name; the
 * same name gives the same metric again. Label values are looked up in a tree of maps, one level a
 * label: counting allocates nothing.
 */
import { assert } from "./assert.ts";
import { Diagnostics } from "./diagnostics.ts";

/** One value for each label name: the compiler sees to it. */
export type Labels<Name extends string = string> = { readonly [Key in Name]: string };

export interface Counter<Name extends string = string> {
  /** Never goes down. Adding nothing makes it be there, at 0. */
  add(labels: Labels<Name>, amount?: number): void;
}

export interface Gauge<Name extends string = string> {
  set(labels: Labels<Name>, value: number): void;
  add(labels: Labels<Name>, amount: number): void;
  /** Shows from now on what is read whenever the text is made. */
  follow(labels: Labels<Name>, read: () => number): void;
}

export interface Histogram<Name extends string = string> {
  observe(labels: Labels<Name>, value: number): void;
}

/**
 * As many limits as asked for, each so many times the one before. Limits are texts that queries
 * match, so they are made as Prometheus' own library makes them, with its errors of rounding.
 */
export function exponentialBuckets(first: number, factor: number, count: number): number[] {
  const limits: number[] = [];
  for (let limit = first; limits.length < count; limit *= factor) limits.push(limit);
  return limits;
}

export class Metrics {
  /** What the numbers are about in detail, on request: every part that counts has this at hand. */
  readonly diagnostics = new Diagnostics();
  private readonly families = new Map<string, Family>();

  counter<const Name extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Name[] = [],
  ): Counter<Name> {
    const family = this.family({ name, help, type: "counter", labelNames, buckets: [] });
    return {
      add: (labels, amount = 1) => {
        if (amount >= 0) family.series(labels).value += amount;
      },
    };
  }

  gauge<const Name extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Name[] = [],
  ): Gauge<Name> {
    const family = this.family({ name, help, type: "gauge", labelNames, buckets: [] });
    return {
      set: (labels, value) => {
        family.series(labels).value = value;
      },
      add: (labels, amount) => {
        family.series(labels).value += amount;
      },
      follow: (labels, read) => {
        family.series(labels).read = read;
      },
    };
  }

  /** The buckets are upper limits, growing. */
  histogram<const Name extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Name[],
    buckets: readonly number[],
  ): Histogram<Name> {
    const family = this.family({ name, help, type: "histogram", labelNames, buckets });
    return {
      observe: (labels, value) => {
        const series = family.series(labels);
        series.value += value;
        series.count += 1;
        const bucket = buckets.findIndex((limit) => value <= limit);
        if (bucket >= 0) series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      },
    };
  }

  /** The exposition format 0.0.4, metrics by name. */
  text(): string {
    const families = [...this.families.values()];
    families.sort((one, other) => (one.definition.name < other.definition.name ? -1 : 1));
    return families.map((family) => family.text()).join("");
  }

  private family(definition: Definition): Family {
    const known = this.families.get(definition.name);
    if (known) {
      const isSame = JSON.stringify(known.definition) === JSON.stringify(definition);
      assert(isSame, `the metric ${definition.name} is defined in one way only`);
      return known;
    }
    const family = new Family(definition);
    this.families.set(definition.name, family);
    // What has no labels is 0 before it is anything; of the others nobody knows the labels yet.
    if (definition.labelNames.length === 0) family.series({});
    return family;
  }
}

interface Definition {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly labelNames: readonly string[];
  /** Upper limits, growing; what is above the last is counted in none. */
  readonly buckets: readonly number[];
}

interface Series {
  readonly labels: string;
  /** For a histogram the sum of what was observed. */
  value: number;
  count: number;
  readonly counts: number[];
  /** Asked instead of the value. */
  read?: () => number;
}

type Tree = Map<string, Tree | Series>;

class Family {
  private readonly root: Tree = new Map();
  private readonly all: Series[] = [];

  constructor(readonly definition: Definition) {}

  series(labels: Labels): Series {
    const { labelNames } = this.definition;
    let tree = this.root;
    const last = labelNames.length - 1;
    for (let at = 0; at < last; at++) {
      const value = labels[labelNames[at] ?? ""] ?? "";
      let next = tree.get(value) as Tree | undefined;
      if (!next) {
        next = new Map();
        tree.set(value, next);
      }
      tree = next;
    }
    const value = labels[labelNames[last] ?? ""] ?? "";
    const known = tree.get(value) as Series | undefined;
    if (known) return known;
    const series = this.newSeries(labels);
    tree.set(value, series);
    return series;
  }

  text(): string {
    const { name, help, type } = this.definition;
    const lines = [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`];
    const sorted = this.all.toSorted((one, other) => (one.labels < other.labels ? -1 : 1));
    for (const series of sorted) lines.push(...this.linesOf(series));
    return `${lines.join("\n")}\n`;
  }

  private newSeries(labels: Labels): Series {
    const { labelNames, buckets } = this.definition;
    const pairs = labelNames.map((name) => `${name}="${escapeValue(labels[name] ?? "")}"`);
    const series: Series = {
      labels: pairs.join(","),
      value: 0,
      count: 0,
      counts: buckets.map(() => 0),
    };
    this.all.push(series);
    return series;
  }

  private linesOf({ labels, value, count, counts, read }: Series): string[] {
    const { name, type, buckets } = this.definition;
    const braced = labels === "" ? "" : `{${labels}}`;
    if (type !== "histogram") return [`${name}${braced} ${formatNumber(read?.() ?? value)}`];
    const before = labels === "" ? "" : `${labels},`;
    let below = 0;
    const lines = buckets.map((limit, at) => {
      below += counts[at] ?? 0;
      return `${name}_bucket{${before}le="${formatNumber(limit)}"} ${below}`;
    });
    return [
      ...lines,
      `${name}_bucket{${before}le="+Inf"} ${count}`,
      `${name}_sum${braced} ${formatNumber(value)}`,
      `${name}_count${braced} ${count}`,
    ];
  }
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeValue(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}

/** As Go prints a float: what compares texts of limits compares them with Go's. */
function formatNumber(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const [digits = "", power = ""] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  const sign = exponent < 0 ? "-" : "+";
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
