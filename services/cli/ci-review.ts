/** `fixpoint ci` reviews the change request of a CI job, as `fixpoint review ADDRESS --post` does. */
import type { ReviewWish } from './address/address-settings.ts';
import { parseAddress } from './address/parse-address.ts';
import { variable } from './ci/ci-job.ts';
import type { CiOptions } from './ci/ci-options.ts';
import { findJob } from './ci/find-job.ts';
import { type CiPlan, FORK_PRINTS, planCi } from './ci/plan-ci.ts';
import { reviewCheckout } from './ci/review-checkout.ts';
import { reportsOf, writeReports } from './ci/write-reports.ts';
import { type ConnectedTarget, connectTarget } from './remote/connect-target.ts';
import { remoteOutput } from './remote/remote-output.ts';
import { type NamedTarget, nameTarget } from './remote/remote-target.ts';
import { absolute, logTo, NO_SECRET, type Surroundings, wishOf } from './remote-review.ts';
import { withProgress } from './progress/open-progress.ts';
import { untilInterrupted } from './terminal/until-interrupted.ts';
import { reviewRemotely } from './remote-run.ts';
import { printOutput } from './report/print-output.ts';
import type { ReviewOutput } from './review/review-output.ts';

/**
 * Prints the result, writes the reports, and returns the exit code. The result comes first: it is paid for and perhaps
 * posted, so a report that cannot be written must not take it away.
 */
export const runCi = async (options: CiOptions): Promise<number> => {
  const { env } = process;
  const output = await untilInterrupted(async (signal) =>
    withProgress(options, async (watch) =>
      reviewJob(options, { env, signal, say: watch.notice, watch, log: logTo(options) }),
    ),
  );
  const code = printOutput(output, { format: 'text', failOn: options.failOn, quiet: options.quiet === true });
  await writeReports(reportsOf(output, options, env));
  return code;
};

type CiWish = Omit<CiOptions, 'failOn' | 'verbose' | 'quiet'>;

/** @throws UsageError with one sentence; the signal's reason on an abort */
export const reviewJob = async (options: CiWish, surroundings: Surroundings): Promise<ReviewOutput> => {
  const { env, signal, say: tell } = surroundings;
  const { url, tokenEnv, allowForks = false } = options;
  const job = await findJob(url, env);
  const plan = planCi({ ...job, allowForks, tokenEnv, hasToken: variable(env, tokenEnv) !== undefined });
  if (plan.kind === 'checkout') {
    tell(plan.why);
    return reviewCheckout(plan.checkout, { env, signal, say: tell });
  }
  return reviewOnForge({ address: job.address, plan, options }, surroundings);
};

type OnForge = { readonly address: string; readonly plan: CiPlan; readonly options: CiWish };

const reviewOnForge = async (
  { address, plan, options }: OnForge,
  { env, signal, say: tell, watch, log }: Surroundings,
): Promise<ReviewOutput> => {
  const name = async (wish: ReviewWish): Promise<NamedTarget> =>
    nameTarget(
      {
        address: parseAddress(address),
        configPath: null,
        tokenEnv: options.tokenEnv,
        caFile: absolute(options.caFile),
        wish,
        directory: '.',
        env,
      },
      signal,
    );
  const asRules = await connectTarget(await name({ runner: 'rules' }), { post: false, env }, signal);
  const printed = whyPrinted({ plan, target: asRules, options });
  if (printed !== null) tell(printed);
  const post = printed === null;
  const target = post ? await connectTarget(await name(wishOf(options)), { post, env }, signal) : asRules;
  if (!target.hasSecret) tell(NO_SECRET);
  const telling = { onProgress: watch?.step ?? tell, follow: watch?.follow };
  return remoteOutput(await reviewRemotely({ target, post, waitForCi: false, logTo: log, ...telling }, signal));
};

type Looking = { readonly plan: CiPlan; readonly target: ConnectedTarget; readonly options: CiWish };

/**
 * Why the result is only printed, or null. Whether it is a fork is read from the forge, because a job can change its
 * own environment variables.
 */
const whyPrinted = ({ plan, target, options }: Looking): string | null => {
  if (plan.kind !== 'post') return plan.why;
  return target.facts.fromFork && options.allowForks !== true ? FORK_PRINTS.why : null;
};
