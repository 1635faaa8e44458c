/** What the items of a run on a cluster are, out of the objects that its Job refers to. */
import type { Client } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import { configMaps, secrets } from "../../api/resources.ts";
import { type Items, itemsOfList, NO_ITEMS } from "../../api/work-list/items.ts";
import { WORK_LIST } from "../../api/work-list/names.ts";
import type { WorkList } from "../../api/work-list/work-list.ts";
import { findObject } from "../../client/find.ts";
import { findScriptPlace, SCRIPT } from "../compose/compose-manifests.ts";
import { parseScript } from "../compose/parse-script.ts";
import { readStoredList } from "../list/stored-items.ts";

/** Lists in Secrets are not read: whoever keeps values secret does not want them in a table. */
export async function readItems(client: Client, job: Job): Promise<Items> {
  const list = await readItemList(client, job);
  return list ? itemsOfList(list) : NO_ITEMS;
}

async function readItemList(client: Client, job: Job): Promise<WorkList | undefined> {
  const named = job.metadata.annotations?.[WORK_LIST];
  if (named !== undefined) {
    return named.startsWith("secret/") ? undefined : (await readStoredList(client, job))?.list;
  }
  const isSecret = findScriptPlace(job)?.kind === "Secret";
  const script = isSecret ? undefined : await readScript(client, job);
  return script === undefined ? undefined : parseScript(script);
}

/** Of a Job that has one. */
export async function readScript(client: Client, job: Job): Promise<string | undefined> {
  const place = findScriptPlace(job);
  if (!place) return undefined;
  const { namespace = "" } = job.metadata;
  const name = { namespace, name: place.name };
  if (place.kind === "ConfigMap") {
    return (await findObject(client, configMaps, name))?.data?.[SCRIPT];
  }
  const text = (await findObject(client, secrets, name))?.data?.[SCRIPT];
  return text === undefined ? undefined : Buffer.from(text, "base64").toString("utf8");
}
