/** Where a spawner listens: a socket in its directory. */
import { socketAddress as addressIn } from "../../base/socket-address.ts";

export function socketAddress(directory: string): string {
  return addressIn(directory, "spawner.sock");
}
