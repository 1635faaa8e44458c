/** There was no answer, or only a part of one: whether the server did as asked is not known. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}
