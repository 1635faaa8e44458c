/**
 * The entry of the thread that parses large YAML texts: it receives a text and returns its JSON.
 */
import { parentPort } from "node:worker_threads";
import { readYamlText } from "./read-yaml-text.ts";
import type { YamlOrder } from "./yaml-reader.ts";

parentPort?.on("message", ({ bytes, mostValues }: YamlOrder) => {
  const text = Buffer.from(bytes).toString("utf8");
  parentPort?.postMessage(readYamlText(text, mostValues));
});
