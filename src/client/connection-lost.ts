/**
 * There was no answer, or only part of one. It is unknown whether the server processed the request.
 */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}
