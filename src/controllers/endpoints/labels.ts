/** Pure: the labels that identify the Service and the manager of endpoints. */
import type { Service } from "../../api/generated/core.ts";
import { isHeadless } from "./members.ts";

export const SERVICE_NAME = "kubernetes.io/service-name";
export const SLICE_MANAGER = "endpointslice.kubernetes.io/managed-by";
const ENDPOINTS_MANAGER = "endpoints.kubernetes.io/managed-by";
const HEADLESS = "service.kubernetes.io/headless";
export const SLICE_CONTROLLER = "endpointslice-controller.k8s.io";

type Labels = { readonly [label: string]: string };

/** The labels of the Service, except those with a meaning of their own here. */
export function sliceLabels(service: Service): Labels {
  const { [SERVICE_NAME]: _name, [SLICE_MANAGER]: _manager, ...own } = withoutHeadless(service);
  return {
    ...own,
    ...headless(service),
    [SERVICE_NAME]: service.metadata.name ?? "",
    [SLICE_MANAGER]: SLICE_CONTROLLER,
  };
}

export function endpointsLabels(service: Service): Labels {
  return {
    ...withoutHeadless(service),
    [ENDPOINTS_MANAGER]: "endpoint-controller",
    ...headless(service),
  };
}

function withoutHeadless({ metadata }: Service): Labels {
  const { [HEADLESS]: _headless, ...own } = metadata.labels ?? {};
  return own;
}

function headless(service: Service): Labels {
  return isHeadless(service) ? { [HEADLESS]: "" } : {};
}
