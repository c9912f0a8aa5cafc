import { AppError, type AppErrorFields } from '../../errors.ts';

/** The engine is not installed for this platform, so structural rules cannot run. */
export class RulesEngineMissingError extends AppError {
  constructor(fields: AppErrorFields, cause?: unknown) {
    super({
      code: 'RULES_ENGINE_MISSING',
      message:
        'no ast-grep binary for this platform: npm installs the optional package @ast-grep/cli-* that matches it',
      disposition: { kind: 'fail' },
      fields,
      cause,
    });
  }
}

/** The engine gave no usable output: it crashed, refused a rule or printed too much. */
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
