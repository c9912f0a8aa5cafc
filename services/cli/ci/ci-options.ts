/** The flags of `fixpoint ci`. */
import { type Command, Option } from 'commander';
import type { ReviewWish } from '../address/address-settings.ts';
import { addReviewerOptions, type FailOn, failOnOption, MODEL_TEXT } from '../review/review-options.ts';

export type CiOptions = Omit<ReviewWish, 'prices'> & {
  readonly price?: ReviewWish['prices'];
  readonly url?: string;
  readonly tokenEnv: string;
  readonly caFile?: string;
  readonly allowForks?: boolean;
  readonly verbose?: boolean;
  readonly quiet?: boolean;
  readonly codeQuality?: string;
  readonly sarif?: string;
  readonly summary?: string;
  readonly failOn: FailOn;
};

/** The name avoids the forges' names: runners set `FORGEJO_TOKEN` themselves, and secrets may not begin with a forge's name. */
const TOKEN = 'FIXPOINT_TOKEN';

const EXIT_TEXT = `
The change request is read from the environment of GitLab CI, Forgejo Actions and Gitea Actions; elsewhere:
  fixpoint ci --url "$CHANGE_URL"                                  Jenkins
  fixpoint ci --url "$CI_REPO_URL/pulls/$CI_COMMIT_PULL_REQUEST"   Woodpecker with Forgejo or Gitea
The result is posted as a server would post it. It needs the token of the bot's account in ${TOKEN}, and FIXPOINT_MARKER_SECRET.
Exit code: 0 lgtm, 1 feedback, 3 inconclusive, 2 no change request, bad usage, token or key.
With --fail-on any, findings that do not block also give exit code 1; with --fail-on never, every result gives 0.`;

export const addCiCommand = (program: Command, run: (options: CiOptions) => Promise<void>): void => {
  const command = program
    .command('ci')
    .description('review the change request of a CI job and post the result')
    .option('--url <url>', 'the URL of the change request, in a CI system that is not recognised')
    .option('--token-env <name>', "the variable with the token of the bot's account", TOKEN)
    .option('--ca-file <file>', "PEM file with the certificate of the forge's private certificate authority")
    .option('--allow-forks', 'treat change requests from forks like all others: use the model, and post the result')
    .option('--code-quality <file>', "write GitLab's Code Quality report")
    .option('--sarif <file>', 'write SARIF 2.1.0')
    .option('--summary <file>', 'write the result as Markdown (default: append to $GITHUB_STEP_SUMMARY, if set)')
    .addOption(new Option('--quiet', 'print the result only: no progress, notices or remarks').conflicts('verbose'))
    .option('--verbose', "print every step, and the services' log");
  addReviewerOptions(command)
    .addOption(failOnOption())
    .addHelpText('after', EXIT_TEXT + MODEL_TEXT)
    .action(async (options: CiOptions) => run(options));
};
