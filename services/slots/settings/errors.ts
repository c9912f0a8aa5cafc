import { AppError } from '../../../shared/errors.ts';

export type LoopErrorCode = 'LOOP_SETTINGS' | 'LOOP_PROMPT' | 'LOOP_TASKS' | 'LOOP_REPOSITORY';

/** Why the local loop could not start. A later failure of an agent is an outcome, not an error. */
export class LoopError extends AppError {
  constructor(code: LoopErrorCode, message: string, cause?: unknown) {
    super({ code, message, disposition: { kind: 'fail' }, cause });
  }
}
