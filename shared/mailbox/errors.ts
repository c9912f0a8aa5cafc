import { AppError } from '../errors.ts';

export class MailboxConflictError extends AppError {
  constructor(file: string) {
    super({
      code: 'MAILBOX_CONFLICT',
      message: `${file} contains another message; message ids must be unique`,
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
      message: 'concurrent update of the pending review request',
      disposition: { kind: 'retry' },
    });
  }
}
