/**
 * Manages claims and volumes, except for provisioning and mounting: binding (volume-binder), claims
 * of ephemeral volumes (ephemeral-claims), and protection of objects in use (storage-protection).
 */
import type { Controller } from "../runtime/controller.ts";
import { startEphemeralClaims } from "./ephemeral-claims.ts";
import { storageProtection } from "./storage-protection.ts";
import { startVolumeBinder } from "./volume-binder.ts";

export const storageController: Controller = {
  name: "storage",
  start: async (context) => {
    const parts = await Promise.all([
      storageProtection.start(context),
      startVolumeBinder(context),
      startEphemeralClaims(context),
    ]);
    return {
      stop: () => {
        for (const part of parts) part.stop();
      },
    };
  },
};
