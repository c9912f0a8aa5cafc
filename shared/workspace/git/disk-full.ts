/** https://nodejs.org/docs/latest-v20.x/api/os.html#posix-error-constants */
export const DISK_FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'GIT_DISK_FULL']);

/** Longer chains of causes do not occur. */
const MAX_CAUSES = 10;

/** The write of this process or of git that failed because the disk is full: the error, or one of its causes. Else null. */
export const failedWriteOf = (error: unknown): Error | null => {
  let each = error;
  for (let depth = 0; depth < MAX_CAUSES && each instanceof Error; depth += 1) {
    if ('code' in each && DISK_FULL.has(String(each.code))) return each;
    each = each.cause;
  }
  return null;
};

export const isDiskFull = (error: unknown): boolean => failedWriteOf(error) !== null;
