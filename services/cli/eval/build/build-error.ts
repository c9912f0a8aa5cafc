import { AppError } from '../../../../shared/errors.ts';

/** One case cannot be built; the others can. */
export class EvalBuildError extends AppError {
  constructor(message: string, cause?: unknown) {
    super({ code: 'EVAL_CASE_NOT_BUILT', message, disposition: { kind: 'fail' }, cause });
  }
}
