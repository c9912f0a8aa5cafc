import { AppError, type AppErrorFields } from '../../errors.ts';

/** The engine is not installed for this platform: structural rules cannot run here at all. */
export class RulesEngineMissingError extends AppError {
  constructor(fields: AppErrorFields, cause?: unknown) {
    super({
      code: 'RULES_ENGINE_MISSING',
      message: 'no ast-grep binary for this platform: install the matching optional package of @ast-grep/cli',
      disposition: { kind: 'fail' },
      fields,
      cause,
    });
  }
}

/** The engine ran and did not give a usable answer: crash, refused rule, too much output. */
export class RulesEngineFailedError extends AppError {
  constructor(fields: AppErrorFields, cause?: unknown) {
    super({
      code: 'RULES_ENGINE_FAILED',
      message: 'the structural rule engine failed',
      disposition: { kind: 'retry' },
      fields,
      cause,
    });
  }
}

/** Rules were still running when their time was up. */
export class RulesTimeoutError extends AppError {
  constructor(fields: AppErrorFields, cause?: unknown) {
    super({
      code: 'RULES_TIMEOUT',
      message: 'the built-in rules timed out',
      disposition: { kind: 'retry' },
      fields,
      cause,
    });
  }
}
