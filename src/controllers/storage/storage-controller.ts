/**
 * Everything about claims and volumes but making and mounting them: who is bound to whom
 * (volume-binder), claims of pods' own (ephemeral-claims), and that nothing goes away under whoever
 * uses it (storage-protection).
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
