/** Caches of the claims, volumes and classes that affect the placement of pods. */
import { persistentVolumeClaims, persistentVolumes, storageClasses } from "../../api/resources.ts";
import { openCache } from "../../client/cache.ts";
import type { ControllerContext } from "../runtime/controller.ts";
import type { StorageFacts } from "./storage.ts";

export interface StorageCaches extends StorageFacts {
  onChange(listener: () => void): void;
  close(): void;
}

type Following = Pick<ControllerContext, "client" | "clock" | "random" | "log">;

export async function openStorage(following: Following): Promise<StorageCaches> {
  const [claims, volumes, classes] = await Promise.all([
    openCache({ ...following, type: persistentVolumeClaims }),
    openCache({ ...following, type: persistentVolumes }),
    openCache({ ...following, type: storageClasses }),
  ]);
  const caches = [claims, volumes, classes];
  return {
    findClaim: (key) => {
      const [namespace = "", name = ""] = key.split("/");
      return claims.get(namespace, name);
    },
    findVolume: (name) => volumes.get("", name),
    findClass: (name) => classes.get("", name),
    volumes: () => volumes.list(),
    onChange: (listener) => {
      for (const cache of caches) cache.onChange(listener);
    },
    close: () => {
      for (const cache of caches) cache.close();
    },
  };
}
