/** What is in the list is what the process gets: through Job, controller, agent, and no shell. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { batchList } from "../../src/runs/list/batch.ts";
import { processOf } from "./process-of.ts";

const REQUEST = {
  name: "j",
  namespace: "default",
  suffix: "x",
  parallelism: 1,
  skipsPlaceholderCheck: true,
} as const;

/** Text of what has a meaning to somebody on the way, and of anything else. */
const value = fc
  .oneof(
    fc.string({ unit: "grapheme" }),
    fc
      .array(
        fc.constantFrom(
          "$",
          "$$",
          "(",
          ")",
          "$(A)",
          "$(B)",
          "{A}",
          "{",
          "}",
          "'",
          '"',
          "\\",
          " ",
          "\n",
          "`",
          "é",
          "😀",
        ),
      )
      .map((parts) => parts.join("")),
  )
  .filter((text) => !text.includes("\0"));

test("values arrive as they are, as variables and in arguments", () => {
  fc.assert(
    fc.property(value, value, value, (a, b, text) => {
      const list = { parameters: ["A", "B"], columns: [[a], [b]] };
      const fixed = text.replaceAll(/[{}]/g, "");
      const command = ["prog", "{A}", `${fixed}x{B}${fixed}`, "$A", "$B", `-${fixed}`];
      const ran = processOf({ ...REQUEST, list, command }, 0);
      expect(ran.environment.get("A")).toBe(a);
      expect(ran.environment.get("B")).toBe(b);
      // A dollar in front of a name in braces is a shell's, and is left alone; hence the x.
      expect(ran.command).toEqual(["prog", a, `${fixed}x${b}${fixed}`, a, b, `-${fixed}`]);
    }),
    {
      examples: [
        ["$(B)", "$$", "$"],
        ["$", "$(A)", "$(A)$$"],
      ],
    },
  );
});

test("a script arrives as it is typed", () => {
  fc.assert(
    fc.property(value, (script) => {
      fc.pre(!/(?<!\$)\{A\}/.test(script));
      const list = { parameters: ["A"], columns: [["a"]] };
      const command = ["sh", "-c", script];
      expect(processOf({ ...REQUEST, list, command }, 0).command).toEqual(command);
    }),
  );
});

test("variables of the user arrive as they are", () => {
  fc.assert(
    fc.property(value, (given) => {
      const list = { parameters: ["A"], columns: [["a"]] };
      const environment = [{ name: "MINE", value: given }];
      const ran = processOf({ ...REQUEST, list, environment, command: ["prog"] }, 0);
      expect(ran.environment.get("MINE")).toBe(given);
    }),
  );
});

test("further arguments arrive as they are, without the empty ones", () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      const list = { parameters: ["ARG_1", "ARG_2"], columns: [[a], [b]] };
      const ran = processOf(
        { ...REQUEST, list, appended: ["ARG_1", "ARG_2"], command: ["prog"] },
        0,
      );
      expect(ran.command).toEqual(["prog", ...[a, b].filter((text) => text !== "")]);
    }),
  );
});

test("each value of a batch arrives as an argument, even an empty one", () => {
  const line = value.filter((text) => !text.includes("\n"));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (values) => {
      const list = batchList({ parameters: ["A"], columns: [values] }, 5);
      const ran = processOf({ ...REQUEST, list, command: ["prog", "{A}", "-l", "{A_LAST}"] }, 0);
      expect(ran.command).toEqual(["prog", ...values, "-l", values.at(-1)]);
      expect(ran.environment.get("A")).toBe(values.join("\n"));
    }),
  );
});
