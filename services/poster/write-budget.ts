import { AppError } from '../../shared/errors.ts';
import type { PosterForge } from './deps.ts';

export class WriteBudgetExceededError extends AppError {
  constructor(maxWrites: number) {
    super({
      code: 'WRITE_BUDGET_EXCEEDED',
      message: 'a plan needed more writes than its limit',
      disposition: { kind: 'fail' },
      fields: { maxWrites },
    });
  }
}

/** Refuses every write beyond the budget, so that a bug cannot flood a change request with comments. */
export const withWriteBudget = (forge: PosterForge, maxWrites: number): PosterForge => {
  let left = maxWrites;
  const spend = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    left -= 1;
    if (left < 0) throw new WriteBudgetExceededError(maxWrites);
    return write();
  };
  const { write, threads, resolving } = forge;
  return {
    ...forge,
    write: {
      createComment: async (...args) => spend(async () => write.createComment(...args)),
      editComment: async (...args) => spend(async () => write.editComment(...args)),
      submitReview: async (...args) => spend(async () => write.submitReview(...args)),
      clearLeftovers: async (...args) => spend(async () => write.clearLeftovers(...args)),
      writeStatus: async (...args) => spend(async () => write.writeStatus(...args)),
      deleteComment: async (...args) => spend(async () => write.deleteComment(...args)),
      // This only reads, so it does not use the budget.
      fetchOwnVerdict: async (...args) => write.fetchOwnVerdict(...args),
      giveVerdict: async (...args) => spend(async () => write.giveVerdict(...args)),
      withdrawVerdicts: async (...args) => spend(async () => write.withdrawVerdicts(...args)),
      react: async (...args) => spend(async () => write.react(...args)),
    },
    threads: threads && { reply: async (...args) => spend(async () => threads.reply(...args)) },
    resolving: resolving && { resolveThread: async (...args) => spend(async () => resolving.resolveThread(...args)) },
  };
};
