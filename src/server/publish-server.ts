/** The endpoints of the Service "kubernetes": the current address of the server itself. */
import { ApiError } from "../api/errors.ts";
import type { Json } from "../api/object.ts";
import { decodeObject } from "../api/schema/decode.ts";
import { parsed } from "../api/schema/parsed-json.ts";
import { parseAddress } from "../base/address.ts";
import { apiVersionOf, type Kind } from "../kinds/kind.ts";
import type { Registry } from "../kinds/registry.ts";
import { keyOf, type ServerContext } from "./context.ts";
import { create } from "./verbs/create.ts";
import { patch } from "./verbs/patch.ts";

type Server = ServerContext & { readonly registry: Registry };
type Fields = { readonly [key: string]: Json };

const PLACE = { namespace: "default", name: "kubernetes" };

/** The host must be an address at which the server can be reached, not 0.0.0.0. */
export function publishServer(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): void {
  const isIPv4 = parseAddress(host)?.length === 4;
  // The Service has an IPv4 address, which cannot have IPv6 endpoints.
  if (!isIPv4) return;
  const ports = [{ name: "https", port, protocol: "TCP" }];
  publish(server, server.registry.getResource("", "v1", "endpoints"), {
    labels: { "endpointslice.kubernetes.io/skip-mirror": "true" },
    fields: { subsets: [{ addresses: [{ ip: host }], ports }] },
  });
  publish(server, server.registry.getResource("discovery.k8s.io", "v1", "endpointslices"), {
    labels: { "kubernetes.io/service-name": PLACE.name },
    fields: {
      addressType: "IPv4",
      endpoints: [{ addresses: [host], conditions: { ready: true } }],
      ports,
    },
  });
}

interface Published {
  readonly labels: { readonly [label: string]: string };
  readonly fields: Fields;
}

function publish(server: Server, kind: Kind, { labels, fields }: Published): void {
  const { namespace, name } = PLACE;
  if (server.store.get(keyOf(kind, namespace, name))) {
    const body = JSON.stringify({ metadata: { labels }, ...fields });
    const target = { kind, namespace, name, part: "object" } as const;
    patch(server, target, { type: "merge", body }, { dryRun: false }, () => {});
    return;
  }
  const typeMeta = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const whole = { ...typeMeta, metadata: { name, namespace, labels }, ...fields };
  const { object } = decodeObject(parsed(whole as Json), kind.message, typeMeta);
  kind.rules.setDefaults?.(object);
  try {
    create(server, kind, namespace, object, { dryRun: false });
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === "AlreadyExists")) throw error;
  }
}
