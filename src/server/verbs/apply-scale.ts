/**
 * Server-side apply of a scale. It is separate from the other verbs of a scale, which a server
 * without a network needs too, because the YAML parser takes long to load.
 */
import type { Scale } from "../../api/generated/autoscaling.ts";
import type { Draft, KubeObject } from "../../api/object.ts";
import { canonicalize } from "../../api/schema/decode.ts";
import { applyConfiguration } from "../apply/field-manager.ts";
import { fieldWriter } from "../apply/writer.ts";
import type { ServerContext } from "../context.ts";
import {
  type ApplyOptions,
  type Configuration,
  readConfiguration,
  refuseManagedFields,
  refuseOtherKind,
} from "./apply.ts";
import {
  findScaled,
  matchTarget,
  matchUid,
  ownersAfter,
  SCALE,
  SCALE_KIND,
  scaleWithOwners,
  writeScale,
} from "./scale.ts";
import type { UpdateTarget } from "./update.ts";

export function applyScale(
  server: ServerContext,
  target: UpdateTarget,
  body: Configuration,
  options: ApplyOptions,
): KubeObject {
  const object = findScaled(server, target);
  const { value: config } = readConfiguration(body);
  refuseOtherKind(SCALE, config);
  refuseManagedFields(config);
  const writer = fieldWriter(server, SCALE_KIND, "scale", options.manager);
  const current = scaleWithOwners(object, target);
  const applied = applyConfiguration(writer, current, config, options.force);
  const next = canonicalize(applied.object ?? current, SCALE.message);
  matchTarget(next, target);
  matchUid(next, object, target);
  const owners = ownersAfter(object, target, applied.managedFields);
  return writeScale(server, target, object, next as unknown as Draft<Scale>, options, owners);
}
