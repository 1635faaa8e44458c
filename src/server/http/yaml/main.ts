/** Reads large texts of YAML in a thread of its own: a text comes in, its JSON goes out. */
import { parentPort } from "node:worker_threads";
import { readYamlText } from "./read-yaml-text.ts";
import type { YamlOrder } from "./yaml-reader.ts";

parentPort?.on("message", ({ bytes, mostValues }: YamlOrder) => {
  const text = Buffer.from(bytes).toString("utf8");
  parentPort?.postMessage(readYamlText(text, mostValues));
});
