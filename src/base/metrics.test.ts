import fc from "fast-check";
import { expect, test } from "vitest";
import { exponentialBuckets, Metrics } from "./metrics.ts";

test("metrics are printed by name, each series by its labels", () => {
  const metrics = new Metrics();
  const seconds = metrics.histogram("job_seconds", "How long.", ["mode"], [0.1, 1]);
  for (const value of [0.1, 0.5, 7]) seconds.observe({ mode: "Indexed" }, value);
  const total = metrics.counter("job_total", "How many.", ["mode", "result"]);
  total.add({ mode: "NonIndexed", result: "failed" });
  total.add({ mode: "Indexed", result: "succeeded" }, 2);
  total.add({ result: "succeeded", mode: "Indexed" });
  const depth = metrics.gauge("depth", "How deep.");
  depth.set({}, 5);
  depth.add({}, -2);
  expect(metrics.text()).toBe(`# HELP depth How deep.
# TYPE depth gauge
depth 3
# HELP job_seconds How long.
# TYPE job_seconds histogram
job_seconds_bucket{mode="Indexed",le="0.1"} 1
job_seconds_bucket{mode="Indexed",le="1"} 2
job_seconds_bucket{mode="Indexed",le="+Inf"} 3
job_seconds_sum{mode="Indexed"} 7.6
job_seconds_count{mode="Indexed"} 3
# HELP job_total How many.
# TYPE job_total counter
job_total{mode="Indexed",result="succeeded"} 3
job_total{mode="NonIndexed",result="failed"} 1
`);
});

test("metrics without labels are printed as 0 from the start, those with labels are not", () => {
  const metrics = new Metrics();
  metrics.counter("plain_total", "p");
  metrics.counter("labelled_total", "l", ["a"]);
  metrics.histogram("plain_seconds", "h", [], [1]);
  const values = metrics.text().replace(/^#.*\n/gm, "");
  expect(values).toBe(`plain_seconds_bucket{le="1"} 0
plain_seconds_bucket{le="+Inf"} 0
plain_seconds_sum 0
plain_seconds_count 0
plain_total 0
`);
});

test("a counter never decreases", () => {
  const metrics = new Metrics();
  const total = metrics.counter("a_total", "a");
  total.add({}, 3);
  total.add({}, -1);
  total.add({}, Number.NaN);
  expect(metrics.text()).toContain("a_total 3\n");
});

test("the same name returns the same metric, and cannot be redefined", () => {
  const metrics = new Metrics();
  metrics.counter("a_total", "a", ["x"]).add({ x: "1" });
  metrics.counter("a_total", "a", ["x"]).add({ x: "1" });
  expect(metrics.text()).toContain('a_total{x="1"} 2\n');
  expect(() => metrics.counter("a_total", "a", ["y"])).toThrow("a_total");
  expect(() => metrics.gauge("a_total", "a", ["x"])).toThrow("a_total");
});

test("help texts and label values are escaped without loss", () => {
  const hostile = fc.string({ unit: fc.constantFrom("\\", '"', "\n", "n", "a", "{", "}") });
  fc.assert(
    fc.property(hostile, hostile, hostile, (help, one, other) => {
      const metrics = new Metrics();
      const total = metrics.counter("a_total", help, ["x"]);
      total.add({ x: one });
      total.add({ x: other });
      const [first, type, ...series] = metrics.text().trimEnd().split("\n");
      expect(first).toMatch(/^# HELP a_total /);
      expect(type).toBe("# TYPE a_total counter");
      expect(series).toHaveLength(one === other ? 1 : 2);
      const texts = series.map((line) => /^a_total\{x="(.*)"\} \d$/.exec(line)?.[1] ?? "");
      expect(texts.map(unescaped).sort()).toEqual([...new Set([one, other])].sort());
    }),
  );
});

const unescaped = (text: string) =>
  text.replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char));

test.each([
  [0, "0"],
  [0.25, "0.25"],
  [100_000, "100000"],
  [1_000_000, "1e+06"],
  [12_345_678, "1.2345678e+07"],
  [0.0001, "0.0001"],
  [0.00001, "1e-05"],
  [-1.5e-9, "-1.5e-09"],
  [Number.POSITIVE_INFINITY, "+Inf"],
  [Number.NEGATIVE_INFINITY, "-Inf"],
  [Number.NaN, "NaN"],
])("the number %d prints as %s, as in Go", (value, expected) => {
  const metrics = new Metrics();
  metrics.gauge("a", "a").set({}, value);
  expect(metrics.text()).toContain(`\na ${expected}\n`);
});

test("buckets grow by a factor, with the same rounding errors as in Kubernetes", () => {
  expect(exponentialBuckets(1e-8, 10, 4)).toEqual([1e-8, 1e-7, 1e-6, 9.999999999999999e-6]);
  expect(exponentialBuckets(0.004, 2, 4)).toEqual([0.004, 0.008, 0.016, 0.032]);
});

test("a gauge that follows a function prints its current value", () => {
  const metrics = new Metrics();
  let value = 1;
  metrics.gauge("g", "g", ["a"]).follow({ a: "x" }, () => value);
  expect(metrics.text()).toContain('\ng{a="x"} 1\n');
  value = 2;
  expect(metrics.text()).toContain('\ng{a="x"} 2\n');
});

test("adding 0 to a counter creates its series", () => {
  const metrics = new Metrics();
  metrics.counter("c_total", "c", ["a"]).add({ a: "x" }, 0);
  expect(metrics.text()).toContain('\nc_total{a="x"} 0\n');
});
