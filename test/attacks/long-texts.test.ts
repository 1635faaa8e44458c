/** Parsing a text takes a few steps per character, whatever the text. */
import { expect, test } from "vitest";
import { aServer } from "../builders/server.ts";
import { ask } from "../support/ask.ts";
import { countSteps } from "../support/count-steps.ts";

const CHARACTERS = 20_000;
/** A schedule of stars took 33 steps when every value of every range was stored. */
const MOST_STEPS_PER_CHARACTER = 15;

const SPEC = { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" };
const JOB_TEMPLATE = { spec: { template: { spec: SPEC } } };

function cronJob(spec: object): object {
  const whole = { schedule: "* * * * *", jobTemplate: JOB_TEMPLATE, ...spec };
  return { metadata: { name: "long" }, spec: whole };
}

const filled = (piece: string): string => piece.repeat(CHARACTERS / piece.length);

const SCHEDULES: readonly (readonly [string, string])[] = [
  ["stars", `${filled("*,")}* * * * *`],
  ["ranges", `${filled("0-59,")}1 * * * *`],
  ["steps", `${filled("*/2,")}1 * * * *`],
  ["names", `* * * * ${filled("Mon,")}1`],
  ["ranges of names", `* * * ${filled("jan-DEC,")}1 *`],
  ["a number", `${filled("0")}1 * * * *`],
  ["hyphens", `1${filled("-1")} * * * *`],
  ["fields", filled("1 ")],
  ["white space", `*${filled(" ")}* * * *`],
  ["hours", `@every ${filled("1h")}`],
  ["fractions", `@every ${filled("1.5h")}`],
  ["a fraction", `@every 1.${filled("5")}h`],
  ["a unit", `@every 1${filled("h")}`],
  ["a zone", `TZ=${filled("A/")} * * * * *`],
];

test.each([
  ...SCHEDULES.map(([name, schedule]) => [`${name} in a schedule`, cronJob({ schedule })] as const),
  ["a time zone", cronJob({ timeZone: filled("A/") })] as const,
])("a long CronJob takes few steps per character: %s", (_, body) => {
  const path = "/apis/batch/v1/namespaces/default/cronjobs";
  const stepsOf = (sent: object) => {
    const server = aServer();
    const bytes = Buffer.from(JSON.stringify(sent));
    return countSteps(() => {
      expect([201, 422]).toContain(ask(server, "POST", path, bytes).status);
    });
  };
  stepsOf(cronJob({}));
  const steps = stepsOf(body) - stepsOf(cronJob({}));
  expect(steps / CHARACTERS).toBeLessThan(MOST_STEPS_PER_CHARACTER);
});

test("a registry with many malformed pairs is rejected", () => {
  const volumes = [{ name: "v", quobyte: { registry: ",".repeat(150_000), volume: "v" } }];
  const body = { metadata: { name: "long" }, spec: { ...SPEC, volumes } };
  const { status } = ask(aServer(), "POST", "/api/v1/namespaces/default/pods", body);
  expect(status).toBe(422);
});

test("a manager with many characters that cannot be printed is refused", () => {
  const manager = encodeURIComponent("\t".repeat(CHARACTERS));
  const path = `/api/v1/namespaces/default/configmaps?fieldManager=${manager}`;
  let told = { status: 0, text: "" };
  const steps = countSteps(() => {
    told = ask(aServer(), "POST", path, { metadata: { name: "long" } });
  });
  expect(told.status).toBe(422);
  expect(told.text.length).toBeLessThan(3_000_000);
  expect(steps / CHARACTERS).toBeLessThan(MOST_STEPS_PER_CHARACTER);
});
