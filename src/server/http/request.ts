/** What a request is once it left its socket, and what it is asked of. */
import type { LogSource } from "../../api/log-source.ts";
import type { Log } from "../../base/log.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Registry } from "../../kinds/registry.ts";
import type { ServerContext } from "../context.ts";

export interface ApiServer extends ServerContext {
  readonly registry: Registry;
  readonly log: Log;
  /** Whose the credentials of an Authorization header are. */
  readonly findUser: (authorization: string | undefined) => User | undefined;
  /** host:port, for clients that ask where the server is. */
  readonly address: string;
  /** What /metrics shows; absent where nobody counts. */
  readonly metrics?: { text(): string };
  /** Where the output of pods is read; absent where no node is connected. */
  readonly logs?: LogSource | undefined;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly body: Buffer;
  readonly user: User;
}

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
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
