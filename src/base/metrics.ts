/**
 * Metrics in Prometheus' text format. A metric is requested by name; the same name returns the same
 * metric. Label values are looked up in a tree of maps, one level per label, so that counting
 * allocates nothing.
 */
import { assert } from "./assert.ts";
import { Diagnostics } from "./diagnostics.ts";

/** One value for each label name, checked by the compiler. */
export type Labels<Name extends string = string> = { readonly [Key in Name]: string };

export interface Counter<Name extends string = string> {
  /** Never decreases. Adding 0 creates the series. */
  add(labels: Labels<Name>, amount?: number): void;
}

export interface Gauge<Name extends string = string> {
  set(labels: Labels<Name>, value: number): void;
  add(labels: Labels<Name>, amount: number): void;
  /** From now on the series has the value that `read` returns whenever the text is generated. */
  follow(labels: Labels<Name>, read: () => number): void;
}

export interface Histogram<Name extends string = string> {
  observe(labels: Labels<Name>, value: number): void;
}

/**
 * `count` limits, each `factor` times the previous one. Queries match limits as texts, so they are
 * computed as in Prometheus' own library, with its rounding errors.
 */
export function exponentialBuckets(first: number, factor: number, count: number): number[] {
  const limits: number[] = [];
  for (let limit = first; limits.length < count; limit *= factor) limits.push(limit);
  return limits;
}

export class Metrics {
  /**
   * Details behind the numbers, on request. They are here because every part that counts has this
   * object.
   */
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

  /** The buckets are upper limits in increasing order. */
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

  /** Exposition format 0.0.4, sorted by metric name. */
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
    // Without labels the series starts at 0; otherwise the label values are not known yet.
    if (definition.labelNames.length === 0) family.series({});
    return family;
  }
}

interface Definition {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly labelNames: readonly string[];
  /** Upper limits in increasing order; values above the last one are in no bucket. */
  readonly buckets: readonly number[];
}

interface Series {
  readonly labels: string;
  /** For a histogram the sum of the observed values. */
  value: number;
  count: number;
  readonly counts: number[];
  /** Called instead of using the value. */
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

/** As Go prints floats, because queries compare the texts of limits. */
function formatNumber(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const [digits = "", power = ""] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  const sign = exponent < 0 ? "-" : "+";
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
