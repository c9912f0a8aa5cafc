import { AppError } from '../../shared/errors.ts';

export class WorkspaceMissingError extends AppError {
  constructor(what: 'head' | 'target') {
    super({
      code: 'AUTHOR_SOURCE_MISSING',
      message: `the change cannot be checked out for a fix: the forge does not provide the ${what}`,
      disposition: { kind: 'retry' },
      fields: { what },
    });
  }
}

export class AuthorOffError extends AppError {
  constructor() {
    super({
      code: 'AUTHOR_OFF',
      message: 'author.enabled is false, so this service has nothing to do',
      disposition: { kind: 'fail' },
    });
  }
}
