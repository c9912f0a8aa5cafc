import { AppError } from '../errors.ts';

export class MailboxConflictError extends AppError {
  constructor(file: string) {
    super({
      code: 'MAILBOX_CONFLICT',
      message: `another message lies at ${file}; an id stands for one message only`,
      disposition: { kind: 'fail' },
    });
  }
}

export class MailboxUnreadableError extends AppError {
  constructor(reason: string, cause: unknown) {
    super({ code: 'MAILBOX_UNREADABLE', message: `the mailbox ${reason}`, disposition: { kind: 'fail' }, cause });
  }
}

export class DeskContendedError extends AppError {
  constructor() {
    super({
      code: 'DESK_CONTENDED',
      message: 'others write about this change request at the same time',
      disposition: { kind: 'retry' },
    });
  }
}
