/** A request after it was read from its socket, and the server it is sent to. */
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
  /** Authenticates bearer tokens. */
  readonly tokens: TokenVerifier;
  /** Records every request from a connection; absent: none is recorded. */
  readonly audit?: AuditLog;
  /** Absent: every authenticated user may do everything. */
  readonly authorizer?: Authorizer;
  /** host:port, for clients that ask for the address of the server. */
  readonly address: string;
  /** The contents of /metrics; absent if there are no metrics. */
  readonly metrics?: { text(): string };
  /** Counts exceptions in requests, which were answered with 500 or closed the connection. */
  readonly exceptions?: Counter<"outcome">;
  /** Events that clients have not read yet; absent: each listener has its own count. */
  readonly unread?: Unread;
  /** The same for answers other than watches. */
  readonly unreadAnswers?: Unread;
  /** Reads the output of pods; absent if no node is connected. */
  readonly logs?: LogSource | undefined;
  /** Runs commands in pods; absent if no node is connected. */
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
  /** The body as YAML, if it was parsed in another thread. */
  readonly yaml?: ReadYaml | undefined;
  /** How many values a body may have; absent: no limit. */
  readonly mostValues?: number | undefined;
  readonly user: User;
  /** Adds to the audit event of the request; absent if there is none. */
  readonly annotate?: Annotate;
  /** Set if the client requests another protocol. */
  readonly upgrade?: Upgrade;
}

export interface Upgrade {
  /** "websocket", "spdy/3.1" */
  readonly protocol: string;
  /** The subprotocols that the client offers, most preferred first. */
  readonly subprotocols: readonly string[];
}

/** A request for a resource of a known kind. */
export interface ResourceRequest extends Request {
  readonly kind: Kind;
  /** Absent if the path covers all namespaces; "" for cluster-scoped kinds. */
  readonly namespace: string | undefined;
  readonly watchPath: boolean;
}

/** A request for one object. */
export interface NamedRequest extends ResourceRequest {
  readonly namespace: string;
  readonly name: string;
}
