/** What can be asked for on this machine, by the command line and by programs. */
import type { Uncommitted } from '../../../shared/workspace/local/uncommitted.ts';
import type { LocalRunnerChoice } from './choose-runner.ts';
import { reviewCodebase } from './review-codebase.ts';
import { type LocalReview, reviewLocal } from './review-local.ts';
import type { ReviewOutput } from './review-output.ts';
import type { LocalReviewer } from './local-runners.ts';
import { UsageError } from '../terminal/usage-error.ts';

type Settings = {
  /** A `fixpoint.toml`, of which `[sandbox]` holds for a model; that of `FIXPOINT_CONFIG` by default, if it is set. */
  readonly configPath?: string | undefined;
};

type Watching = {
  /** Contract: must not throw. Told in one line what goes on. */
  readonly onProgress?: ((step: string) => void) | undefined;
  /** Contract: must not throw. Told in one line what the review goes without; `onProgress` by default. */
  readonly onNotice?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** A range of commits of a repository on this machine. */
export type ChangeReviewRequest = LocalRunnerChoice &
  Settings &
  Watching & {
    readonly mode?: 'change' | undefined;
    /** The repository; the working directory by default. Read through git, never written to. */
    readonly workspacePath?: string | undefined;
    /** What the change is to be merged into; the review starts at the merge base. `HEAD` by default with `uncommitted`. */
    readonly base?: string | undefined;
    /** `HEAD` by default. */
    readonly head?: string | undefined;
    /** Instead of `head`: what is staged, or the whole work tree with new files that are not ignored. */
    readonly uncommitted?: Uncommitted | undefined;
  };

/** Everything in a folder, with or without git. */
export type CodebaseReviewRequest = LocalRunnerChoice &
  Settings &
  Watching & { readonly mode: 'codebase'; readonly workspacePath: string };

export type LocalReviewRequest = ChangeReviewRequest | CodebaseReviewRequest;

const NEVER = new AbortController().signal;

/** @throws as `review` in `api.ts`, which chooses the reviewer. */
export const reviewWith = async (reviewer: LocalReviewer, request: LocalReviewRequest): Promise<ReviewOutput> => {
  const { configPath, onProgress = () => {}, onNotice = onProgress, signal = NEVER } = request;
  const common = { cage: { configPath, env: process.env, onNotice }, onProgress, signal };
  if (request.mode === 'codebase') {
    if (reviewer.kind === 'claude-code')
      throw new UsageError('the runner claude-code does not support --mode codebase');
    return reviewCodebase({ directory: request.workspacePath, reviewer, ...common });
  }
  const { workspacePath = '.' } = request;
  const searchPath = process.env['PATH'] ?? '';
  return reviewLocal({ directory: workspacePath, ...rangeOf(request), reviewer, searchPath, ...common });
};

const rangeOf = ({
  base,
  head,
  uncommitted,
}: ChangeReviewRequest): Pick<LocalReview, 'base' | 'head' | 'uncommitted'> => {
  if (uncommitted !== undefined && head !== undefined)
    throw new UsageError('head cannot be combined with uncommitted changes');
  if (base === undefined && uncommitted === undefined)
    throw new UsageError('base is missing: name the commit that the change will be merged into');
  return { base: base ?? 'HEAD', head: head ?? 'HEAD', uncommitted };
};
