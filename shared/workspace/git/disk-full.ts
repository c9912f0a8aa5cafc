/** https://nodejs.org/docs/latest-v20.x/api/os.html#posix-error-constants */
export const DISK_FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'GIT_DISK_FULL']);

/** Longer chains of causes do not occur. */
const MAX_CAUSES = 10;

/** True if a write of this process or of git failed because the disk is full, also if that is only the cause of the error. */
export const isDiskFull = (error: unknown): boolean => {
  let each = error;
  for (let depth = 0; depth < MAX_CAUSES && each instanceof Error; depth += 1) {
    if ('code' in each && DISK_FULL.has(String(each.code))) return true;
    each = each.cause;
  }
  return false;
};
