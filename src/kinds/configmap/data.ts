/** Pure: the size of the data in ConfigMaps and Secrets. */

export const DATA_MAX_BYTES = 1024 * 1024;

/** The number of bytes that a base64 text encodes. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}
