/** Reviews the runner's clone with the built-in rules. Nothing is sent to another machine, and no token is needed. */
import type { Environment } from '../../../shared/config/secrets.ts';
import { reviewLocal } from '../review/review-local.ts';
import { HistoryCutError, RevisionUnknownError } from '../review/review-range.ts';
import type { ReviewOutput } from '../review/review-output.ts';
import { UsageError } from '../terminal/usage-error.ts';
import type { RunnerClone } from './ci-job.ts';

type Means = {
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Contract: shows one line to the user; must not throw. */
  readonly say: (line: string) => void;
};

const WHOLE_HISTORY =
  'reviewing the checkout needs its history: set GIT_DEPTH: "0" for the job in GitLab CI, or fetch-depth: 0 for actions/checkout';

/** @throws UsageError when the clone lacks the commits or their history */
export const reviewCheckout = async (
  { directory, base, head }: RunnerClone,
  { env, signal, say }: Means,
): Promise<ReviewOutput> => {
  try {
    return await reviewLocal({
      directory,
      base,
      head,
      paths: [],
      uncommitted: undefined,
      reviewer: { kind: 'rules' },
      searchPath: env['PATH'] ?? '',
      cage: { configPath: undefined, env, onNotice: say },
      onProgress: say,
      signal,
    });
  } catch (error) {
    if (error instanceof RevisionUnknownError || error instanceof HistoryCutError)
      throw new UsageError(`${error.message}; ${WHOLE_HISTORY}`);
    throw error;
  }
};
