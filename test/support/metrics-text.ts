/** Parses the text of /metrics. */

export interface Sample {
  readonly name: string;
  readonly labels: { readonly [name: string]: string };
  readonly value: number;
}

export function parseMetrics(text: string): readonly Sample[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", labels = "", value = ""] = /^(\w+)(?:\{(.*)\})? (.+)$/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      const named = pairs.map(([, key = "", text = ""]) => [key, text] as const);
      return { name, labels: Object.fromEntries(named), value: numberOf(value) };
    });
}

/** The sum of all series with this name and these labels. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  labels: Sample["labels"] = {},
): number {
  const wanted = Object.entries(labels);
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => wanted.every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

/**
 * The upper limit of the lowest histogram bucket that covers the given share of all observations.
 */
export function quantileLimit(samples: readonly Sample[], name: string, share: number): number {
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`);
  const limits = [...new Set(buckets.map(({ labels }) => labels["le"] ?? ""))];
  const below = (le: string) => sumOf(buckets, `${name}_bucket`, { le });
  const enough = below("+Inf") * share;
  const sorted = limits.toSorted((one, other) => numberOf(one) - numberOf(other));
  return numberOf(sorted.find((le) => below(le) >= enough) ?? "+Inf");
}

function numberOf(text: string): number {
  return text === "+Inf" ? Number.POSITIVE_INFINITY : Number(text);
}
