/** The items of a run on a cluster. */
import type { Client } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import { configMaps, secrets } from "../../api/resources.ts";
import { type Items, itemsOfList, NO_ITEMS } from "../../api/work-list/items.ts";
import { listNameOf } from "../../api/work-list/opened-list.ts";
import { findObject } from "../../client/find.ts";
import { findScriptObject, listNamesOf, SCRIPT } from "../compose/compose-manifests.ts";
import { parseScript } from "../compose/parse-script.ts";
import { readNamedItems } from "../list/stored-items.ts";

/** Values of a Secret are not shown, and so not read. */
export async function readItems(client: Client, job: Job): Promise<Items> {
  const name = listNameOf(job);
  if (name) return readNamedItems(client, job, name);
  const script = findScriptObject(job);
  if (script?.kind !== "ConfigMap") return NO_ITEMS;
  for (const each of listNamesOf(script)) {
    const items = await readNamedItems(client, job, each);
    if (items !== NO_ITEMS) return items;
  }
  // Tally 0.1 stored nothing but the script.
  const list = parseScript((await readScript(client, job)) ?? "");
  return list ? itemsOfList(list) : NO_ITEMS;
}

/** Undefined for a Job without a script. */
export async function readScript(client: Client, job: Job): Promise<string | undefined> {
  const place = findScriptObject(job);
  if (!place) return undefined;
  const { namespace = "" } = job.metadata;
  const name = { namespace, name: place.name };
  if (place.kind === "ConfigMap") {
    return (await findObject(client, configMaps, name))?.data?.[SCRIPT];
  }
  const text = (await findObject(client, secrets, name))?.data?.[SCRIPT];
  return text === undefined ? undefined : Buffer.from(text, "base64").toString("utf8");
}
