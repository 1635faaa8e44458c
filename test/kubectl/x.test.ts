import { test } from "vitest";
import { findKubectl } from "./find-kubectl.ts";
test("x", async () => { console.log(await findKubectl()); });
