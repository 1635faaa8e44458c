/**
 * `expect.poll` that, when it fails, first prints the state of the servers under test (see
 * waits.ts).
 */
import { expect } from "vitest";
import { explain } from "./waits.ts";

type Polled = ReturnType<typeof expect.poll>;

/** The report is printed before the test continues, because the test may stop its servers next. */
export function poll(...args: Parameters<typeof expect.poll>): Polled {
  return explained(expect.poll(...args));
}

function explained<T extends object>(assertion: T): T {
  return new Proxy(assertion, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name === "then" || typeof member !== "function") {
        return typeof member === "object" && member !== null ? explained(member) : member;
      }
      return (...args: unknown[]) => {
        const outcome: unknown = member.apply(target, args);
        return outcome instanceof Object && "then" in outcome ? withReport(outcome) : outcome;
      };
    },
  });
}

async function withReport(outcome: object): Promise<unknown> {
  try {
    return await outcome;
  } catch (error) {
    process.stderr.write(`\nPolled in vain:\n${await explain()}\n\n`);
    throw error;
  }
}
