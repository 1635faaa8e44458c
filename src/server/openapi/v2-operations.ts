/** Pure: converts the operations of a kind to OpenAPI v2. */
import type { Kind } from "../../kinds/kind.ts";
import type { Paths } from "./operations.ts";
import type { Schema } from "./schemas.ts";
import { toV2Schema } from "./v2-schemas.ts";

export function toV2Paths(
  paths: Paths,
  kind: Pick<Kind, "custom">,
): { readonly [path: string]: Schema } {
  const converted = Object.entries(paths).map(([path, item]) => {
    const parts = Object.entries(item).map(([method, part]) =>
      method === "parameters"
        ? [method, (part as readonly Schema[]).map(toV2Parameter)]
        : [method, toV2Operation(part as V3Operation, kind)],
    );
    return [path, Object.fromEntries(parts)];
  });
  return Object.fromEntries(converted);
}

interface V3Operation {
  readonly [keyword: string]: unknown;
  readonly operationId: string;
  readonly parameters?: readonly Schema[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: {
    readonly [code: string]: { readonly description: string; readonly content?: Contents };
  };
}

interface Contents {
  readonly [mediaType: string]: { readonly schema: Schema };
}

const ANY = ["*/*"];
const OF_CUSTOM = ["application/json", "application/yaml"];
const PRODUCED = [...OF_CUSTOM, "application/vnd.kubernetes.protobuf"];

function toV2Operation(operation: V3Operation, kind: Pick<Kind, "custom">): Schema {
  const { parameters = [], requestBody, responses, ...rest } = operation;
  const action = rest["x-kubernetes-action"];
  const body = requestBody && Object.values(requestBody.content)[0]?.schema;
  const isPatch = action === "patch" && requestBody !== undefined;
  const other = kind.custom ? OF_CUSTOM : ANY;
  const all = [
    ...(body ? [bodyParameter(body, action)] : []),
    ...parameters.map((parameter) => toV2Parameter(parameter)),
  ];
  return {
    ...rest,
    consumes: isPatch ? Object.keys(requestBody.content) : other,
    produces: kind.custom ? OF_CUSTOM : PRODUCED,
    schemes: ["https"],
    ...(all.length > 0 ? { parameters: all } : {}),
    responses: Object.fromEntries(
      Object.entries(responses).map(([code, { description, content }]) => {
        const schema = content && Object.values(content)[0]?.schema;
        return [code, { description, ...(schema ? { schema: toV2Schema(schema) } : {}) }];
      }),
    ),
  };
}

/** The body of a deletion is optional. */
function bodyParameter(body: Schema, action: unknown): Schema {
  const isRequired = action !== "delete" && action !== "deletecollection";
  const required = isRequired ? { required: true } : {};
  return { name: "body", in: "body", ...required, schema: toV2Schema(body) };
}

function toV2Parameter({ schema, ...rest }: Schema): Schema {
  return { uniqueItems: true, ...(schema as Schema), ...rest };
}
