/** What a request is once it left its socket, and what it is asked of. */
import type { LogSource } from "../../api/log-source.ts";
import type { ReadYaml } from "../../api/schema/yaml-text.ts";
import type { StreamSource } from "../../api/stream-source.ts";
import type { Log } from "../../base/log.ts";
import type { Counter } from "../../base/metrics.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Registry } from "../../kinds/registry.ts";
import type { Annotate } from "../admission/plugin.ts";
import type { Authorizer } from "../authorization/authorizer.ts";
import type { User } from "../authorization/user.ts";
import type { ServerContext } from "../context.ts";
import type { TokenVerifier } from "../tokens/verify-token.ts";
import type { AuditLog } from "./audit.ts";
import type { Unread } from "./unread.ts";

export interface ApiServer extends ServerContext {
  readonly registry: Registry;
  readonly log: Log;
  /** Whose a bearer token is. */
  readonly tokens: TokenVerifier;
  /** Notes every request that comes by a connection; absent: none is noted. */
  readonly audit?: AuditLog;
  /** Absent: whoever is known may do everything. */
  readonly authorizer?: Authorizer;
  /** host:port, for clients that ask where the server is. */
  readonly address: string;
  /** What /metrics shows; absent where nobody counts. */
  readonly metrics?: { text(): string };
  /** Counts exceptions of requests: they were answered with 500, or their connection was closed. */
  readonly exceptions?: Counter<"outcome">;
  /** Events that clients have not taken yet; absent: each listener counts for itself. */
  readonly unread?: Unread;
  /** The same for answers that are no watches. */
  readonly unreadAnswers?: Unread;
  /** Where the output of pods is read; absent where no node is connected. */
  readonly logs?: LogSource | undefined;
  /** Where commands run beside containers; absent where no node is connected. */
  readonly streams?: StreamSource | undefined;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly userAgent?: string | undefined;
  readonly body: Buffer;
  /** The body as YAML, if it was read in another thread. */
  readonly yaml?: ReadYaml | undefined;
  /** How many values a body may have; absent: any number. */
  readonly mostValues?: number | undefined;
  readonly user: User;
  /** Adds to the audit event of the request; absent where there is none. */
  readonly annotate?: Annotate;
  /** The client asked to speak another protocol from here on. */
  readonly upgrade?: Upgrade;
}

export interface Upgrade {
  /** "websocket", "spdy/3.1" */
  readonly protocol: string;
  /** What it would speak inside that, in its order of preference. */
  readonly subprotocols: readonly string[];
}

/** A request for a resource, its kind known. */
export interface ResourceRequest extends Request {
  readonly kind: Kind;
  /** Absent where the path spans all namespaces; "" for cluster-scoped kinds. */
  readonly namespace: string | undefined;
  readonly watchPath: boolean;
}

/** A request for one object. */
export interface NamedRequest extends ResourceRequest {
  readonly namespace: string;
  readonly name: string;
}
