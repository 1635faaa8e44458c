/** Pure: all functions that a rule in a schema may call. */
import { type Functions, functionsOf } from "../functions.ts";
import { addresses } from "./addresses.ts";
import { comparisons, conversions, numbers } from "./basics.ts";
import { formats } from "./formats.ts";
import { lists, sets } from "./lists.ts";
import { optionals } from "./optionals.ts";
import { quantities } from "./quantities.ts";
import { semanticVersions } from "./semantic-versions.ts";
import { strings } from "./strings.ts";
import { times } from "./times.ts";
import { urls } from "./urls.ts";

let all: Functions | undefined;

/** Created once, when the first rule is compiled. */
export function kubernetesFunctions(): Functions {
  all ??= functionsOf([
    numbers,
    comparisons,
    conversions,
    strings,
    lists,
    sets,
    optionals,
    times,
    quantities,
    urls,
    addresses,
    formats,
    semanticVersions,
  ]);
  return all;
}
