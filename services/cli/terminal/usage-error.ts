import { AppError } from '../../../shared/errors.ts';

/** A mistake in how the command was called. It is printed without a stack trace, and the exit code is 2. */
export class UsageError extends AppError {
  constructor(message: string) {
    super({ code: 'USAGE', message, disposition: { kind: 'fail' } });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'file not found',
  ENOTDIR: 'file not found',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  ELOOP: 'circular links',
};

export const unreadable = (file: string, error: unknown): UsageError => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  return new UsageError(`${file} cannot be read: ${REASONS[code] ?? code}`);
};
