import type { Uncommitted } from '../../../shared/workspace/local/uncommitted.ts';
import { PathPattern } from '../../../shared/config/values.ts';
import type { LocalRunnerChoice } from './choose-runner.ts';
import { type PlanOrNothing, planLocal } from './plan-local.ts';
import { reviewCodebase } from './review-codebase.ts';
import { type ChangeWords, type LocalReview, reviewLocal } from './review-local.ts';
import type { ReviewOutput } from './review-output.ts';
import type { LocalReviewer } from './local-runners.ts';
import type { LocalModel } from './review-model.ts';
import { UsageError } from '../terminal/usage-error.ts';

type Settings = {
  /** A `fixpoint.toml`, of which only `[sandbox]` is used. Default: `FIXPOINT_CONFIG`, if set. */
  readonly configPath?: string | undefined;
};

type Watching = {
  /** Contract: gets one line per step; must not throw. */
  readonly onProgress?: ((step: string) => void) | undefined;
  /** Contract: receives one line about what is not available to the review. Must not throw. Default: `onProgress`. */
  readonly onNotice?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type ChangeReviewRequest = LocalRunnerChoice &
  Settings &
  Watching & {
    readonly mode?: 'change' | undefined;
    /** The repository. It is read through git and never written to. Default: the working directory. */
    readonly workspacePath?: string | undefined;
    /**
     * Target of the change. The review starts at the merge base. Default: the default branch of the remote or, with
     * `uncommitted`, `HEAD`.
     */
    readonly base?: string | undefined;
    readonly head?: string | undefined;
    /** Reviews, instead of `head`, the staged changes or the whole work tree with new files that are not ignored. */
    readonly uncommitted?: Uncommitted | undefined;
    /** Patterns as in `review.include_paths`. Only files that match one of them are reviewed. */
    readonly paths?: readonly string[] | undefined;
    /** Title and description of the change, as its author would write them. Default: the range as the title. */
    readonly about?: ChangeWords | undefined;
  };

export type CodebaseReviewRequest = LocalRunnerChoice &
  Settings &
  Watching & { readonly mode: 'codebase'; readonly workspacePath: string };

export type LocalReviewRequest = ChangeReviewRequest | CodebaseReviewRequest;

const NEVER = new AbortController().signal;

/** @throws the errors of `review` in `api.ts`, which chooses the reviewer */
export const reviewWith = async (reviewer: LocalReviewer, request: LocalReviewRequest): Promise<ReviewOutput> => {
  const common = commonOf(request);
  if (request.mode === 'codebase') {
    if (reviewer.kind === 'claude-code')
      throw new UsageError('the runner claude-code does not support --mode codebase');
    return reviewCodebase({ directory: request.workspacePath, reviewer, ...common });
  }
  return reviewLocal({ ...placeOf(request), reviewer, ...common });
};

/** @throws the errors of `planLocal` */
export const planWith = async (model: LocalModel, request: ChangeReviewRequest): Promise<PlanOrNothing> =>
  planLocal({ ...placeOf(request), ...commonOf(request) }, model);

const commonOf = (request: LocalReviewRequest): Pick<LocalReview, 'cage' | 'onProgress' | 'signal'> => {
  const { configPath, onProgress = () => {}, onNotice = onProgress, signal = NEVER } = request;
  return { cage: { configPath, env: process.env, onNotice }, onProgress, signal };
};

const placeOf = (request: ChangeReviewRequest): Pick<LocalReview, 'directory' | 'searchPath' | RangeKeys> => ({
  directory: request.workspacePath ?? '.',
  searchPath: process.env['PATH'] ?? '',
  ...rangeOf(request),
});

type RangeKeys = 'base' | 'head' | 'uncommitted' | 'paths' | 'about';

const rangeOf = ({ base, head, uncommitted, about, paths = [] }: ChangeReviewRequest): Pick<LocalReview, RangeKeys> => {
  if (uncommitted !== undefined && head !== undefined)
    throw new UsageError('head cannot be combined with uncommitted changes');
  const wrong = paths.find((pattern) => !PathPattern.safeParse(pattern).success);
  if (wrong !== undefined)
    throw new UsageError(
      `"${wrong}" is not a path pattern: expected one such as src/** or *.ts, relative to the repository`,
    );
  return {
    base: base ?? (uncommitted === undefined ? undefined : 'HEAD'),
    head: head ?? 'HEAD',
    uncommitted,
    about,
    paths,
  };
};
