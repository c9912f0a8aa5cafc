import { AppError } from '../../shared/errors.ts';

/** A mistake of whoever calls: shown as it is, without a trace, with exit code 2. */
export class UsageError extends AppError {
  constructor(message: string) {
    super({ code: 'USAGE', message, disposition: { kind: 'fail' } });
  }
}
