/** Pure: what the system said, as Go would put it: "open /x: no such file or directory". */
export function systemErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  const text = code === undefined ? undefined : TEXTS[code];
  if (text === undefined) return error.message;
  return [syscall, path]
    .filter((part) => part !== undefined)
    .join(" ")
    .concat(`: ${text}`);
}

const TEXTS: { readonly [code: string]: string } = {
  EACCES: "permission denied",
  EEXIST: "file exists",
  EINVAL: "invalid argument",
  EIO: "input/output error",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "file name too long",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on device",
  ENOTDIR: "not a directory",
  EPERM: "operation not permitted",
  EROFS: "read-only file system",
};
