/** Where the child that holds streams listens. The number is that of what is spoken there. */
import { socketAddress } from "../../base/socket-address.ts";

export function streamsAddress(directory: string): string {
  return socketAddress(directory, "streams-1.sock");
}
