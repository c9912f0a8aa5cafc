import type { Command } from 'commander';
import { listKinds } from '../../../shared/forge/kinds/forge-kind.ts';
import type { RunCommand } from '../terminal/run-command.ts';

export type SetupOptions = {
  readonly config?: string;
  readonly envFile?: string;
  readonly url?: string;
  readonly kind?: string;
  readonly id?: string;
  readonly project?: readonly string[];
  readonly publicUrl?: string;
  readonly listen?: string;
  readonly caFile?: string;
  readonly tokenEnv?: string;
  readonly botTokenEnv?: string;
  readonly replaceWebhooks?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly check?: boolean;
  readonly dryRun?: boolean;
  readonly remove?: boolean;
  /** If false, no test delivery is sent. */
  readonly test?: boolean;
  readonly wait?: string;
};

const EXAMPLES = `
Tokens come from the environment, never from arguments: ${listKinds(({ tokenEnv }) => tokenEnv)} is the token of the
bot's account; FIXPOINT_SETUP_TOKEN is the token of an administrator or Maintainer, used during setup only and saved
nowhere. Without it, the bot's token is used for everything.

Examples:
  fixpoint setup                          asks for what it needs
  fixpoint setup --url https://git.example.com --project team/shop \\
    --public-url https://fixpoint.example.com --yes
  fixpoint setup --dry-run                print every call and file, do nothing
  fixpoint setup --check                  exit 1 if anything differs from what setup created
  fixpoint setup --remove --yes           remove what setup has created

Exit code: 0 everything is set up, 1 something is not, 2 bad usage, a missing permission, or the forge cannot be reached.`;

export const addSetupCommand = (
  program: Command,
  run: RunCommand,
  start: (options: SetupOptions) => Promise<number>,
): void => {
  program
    .command('setup')
    .description('connect a forge: configuration, secrets, membership of the bot, webhooks, and a test delivery')
    .option('--url <url>', 'URL of the forge')
    .option('--project <pattern...>', '"owner/name", "group/*" or "*"; may be repeated')
    .option('--public-url <url>', 'URL at which the forge reaches the ingress, without /webhooks/')
    .option('--kind <kind>', `${listKinds((_, kind) => kind)} (default: detected)`)
    .option('--id <id>', "the forge's id in the configuration (default: its kind)")
    .option('--listen <host:port>', 'where the ingress listens (default: 127.0.0.1:8080); only for a new configuration')
    .option('--ca-file <file>', 'PEM file with the certificate of a private certificate authority')
    .option('--config <file>', 'configuration file (default: fixpoint.toml)')
    .option('--env-file <file>', 'environment file (default: .env beside the configuration)')
    .option('--token-env <name>', "variable with the administrator's token (default: FIXPOINT_SETUP_TOKEN)")
    .option(
      '--bot-token-env <name>',
      "variable with the bot's token (default: the id in upper case, followed by _TOKEN)",
    )
    .option('--replace-webhooks', 'replace webhooks that point here with new webhooks that have a known secret')
    .option('--no-test', 'send no test delivery')
    .option('--wait <seconds>', 'how long to wait for a test delivery (default: 30)')
    .option('--yes', 'do not ask')
    .option('--json', 'print the result as JSON, without prompting')
    .option('--check', 'change nothing; exit 1 if something differs')
    .option('--dry-run', 'change nothing; print each call with its body, without secrets')
    .option('--remove', 'remove what setup has created')
    .addHelpText('after', EXAMPLES)
    .action(async (options: SetupOptions) => run(start(options)));
};
