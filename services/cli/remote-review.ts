/** `fixpoint review ADDRESS`: reviews a change request of a forge and prints the result, or posts it. */
import { resolve } from 'node:path';
import type { Environment } from '../../shared/config/secrets.ts';
import type { LoggerOptions } from '../../shared/logger.ts';
import type { ReviewWish } from './address/address-settings.ts';
import { parseAddress } from './address/parse-address.ts';
import { connectTarget } from './remote/connect-target.ts';
import { remoteOutput } from './remote/remote-output.ts';
import { withProgress } from './progress/open-progress.ts';
import type { ReviewWatch } from './progress/watch.ts';
import { nameTarget } from './remote/remote-target.ts';
import { reviewRemotely } from './remote-run.ts';
import { refuseLocalOptions, type ReviewOptions } from './review/review-options.ts';
import type { ReviewOutput } from './review/review-output.ts';
import { printOutput } from './report/print-output.ts';
import { untilInterrupted } from './terminal/until-interrupted.ts';

export const runRemoteReview = async (address: string, options: ReviewOptions): Promise<number> => {
  const { env } = process;
  const output = await untilInterrupted(async (signal) =>
    withProgress(options, async (watch) =>
      reviewAddress(address, options, { env, signal, say: watch.notice, watch, log: logTo(options) }),
    ),
  );
  return printOutput(output, options);
};

export type Surroundings = {
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Contract: shows one line to the user; must not throw. */
  readonly say: (line: string) => void;
  /** If absent, steps are shown as ordinary lines. */
  readonly watch?: Pick<ReviewWatch, 'step' | 'follow'> | undefined;
  readonly log: LoggerOptions['to'];
};

export type RemoteOptions = Omit<ReviewOptions, 'format' | 'failOn' | 'verbose' | 'quiet'>;

/** @throws UsageError with one sentence; the signal's reason on an abort */
export const reviewAddress = async (
  text: string,
  options: RemoteOptions,
  { env, signal, say: tell, watch, log }: Surroundings,
): Promise<ReviewOutput> => {
  const { post = false } = options;
  refuseLocalOptions(options);
  const request = {
    address: parseAddress(text),
    configPath: configPathOf(options, env),
    tokenEnv: options.tokenEnv,
    caFile: absolute(options.caFile),
    wish: wishOf(options),
    directory: options.repo ?? '.',
    env,
  };
  const target = await connectTarget(await nameTarget(request, signal), { post, env }, signal);
  if (!target.hasSecret) tell(NO_SECRET);
  const run = { target, post, waitForCi: true, logTo: log, onProgress: watch?.step ?? tell, follow: watch?.follow };
  return remoteOutput(await reviewRemotely(run, signal));
};

export const NO_SECRET = 'FIXPOINT_MARKER_SECRET is not set, so earlier comments of Fixpoint are not recognised';

export const absolute = (file: string | undefined): string | undefined =>
  file === undefined ? undefined : resolve(file);

const configPathOf = ({ config }: RemoteOptions, env: Environment): string | null => {
  const file = config ?? env['FIXPOINT_CONFIG'] ?? '';
  return file === '' ? null : resolve(file);
};

type WishOptions = Omit<ReviewWish, 'prices'> & { readonly price?: ReviewWish['prices'] };

export const wishOf = (options: WishOptions): ReviewWish => {
  const { runner, claudeCode, provider, keyEnv, model, explorerModel, maxTurns, price } = options;
  const { budgetUsd, budgetTokens, baseUrl } = options;
  const limits = { maxTurns, budgetUsd, budgetTokens };
  return { runner, claudeCode, provider, keyEnv, model, explorerModel, ...limits, baseUrl, prices: price };
};

const NOWHERE = { write: (): void => {} };

export const logTo = ({ verbose = false }: Pick<ReviewOptions, 'verbose'>): LoggerOptions['to'] =>
  verbose ? 'stderr' : NOWHERE;
