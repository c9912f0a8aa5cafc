/** Runs the operator's validation commands in the cage, without network, on a tree without git data or secrets. */
import type { ValidationCommand } from '../config/validation-settings.ts';
import { inScope, parseProjectScope } from '../config/projects/project-scope.ts';
import type { ValidationResult } from '../rounds/model/validations.ts';
import type { CommitSha } from '../vocabulary/ids.ts';
import type { Redactor } from '../text/redact.ts';
import { showHidden } from '../text/visible.ts';
import { CAGED_WORKSPACE, type Cage, type CagedArgv, type CageResult } from '../workspace/cage/cage.ts';
import { missingText } from '../workspace/tree/absent-files.ts';
import { createCheckout, DEFAULT_CHECKOUT_CAPS } from '../workspace/tree/checkout.ts';
import type { CheckoutCaps } from '../workspace/tree/checkout-plan.ts';
import { ProcessStartError } from '../workspace/process/command.ts';
import type { Revisions } from '../workspace/git/revisions.ts';

export type Validating = {
  readonly cage: Cage | null;
  readonly commands: readonly ValidationCommand[];
  readonly checkoutFolder: string;
  readonly redact: Redactor;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
};

export type ValidatedHead = {
  readonly revisions: Revisions;
  readonly head: CommitSha;
  readonly project: string;
  /** Names of the commands to run. When absent, all commands of the project run. */
  readonly only?: readonly string[];
  /** Contract: false once the head is no longer wanted. Called before each command. */
  readonly isWanted: () => Promise<boolean>;
};

export const validate = async (
  { revisions, head, project, only, isWanted }: ValidatedHead,
  validating: Validating,
  signal: AbortSignal,
): Promise<readonly ValidationResult[] | null> => {
  const commands = commandsFor(validating.commands, project).filter(({ name }) => only?.includes(name) !== false);
  if (commands.length === 0) return [];
  const { cage, checkoutFolder } = validating;
  if (cage === null) return commands.map(({ name }) => notRun(name, 'There is no cage on this machine.'));
  const checkout = await createCheckout({ revisions, folder: checkoutFolder, caps: CAPS }, head, signal);
  try {
    // A command would fail, or even pass, because of what is missing: neither result is about the code.
    const missing = missingText(checkout.absent, checkout.pointers);
    if (missing !== null) return commands.map(({ name }) => notRun(name, `The checkout lacks ${missing}.`));
    const results: ValidationResult[] = [];
    for (const command of commands) {
      if (!(await isWanted())) return null;
      results.push(await runOne(command, { ...validating, cage, root: checkout.root }, signal));
    }
    return results;
  } finally {
    await checkout.dispose();
  }
};

/** A command may need any file, also one that is too large for a review. */
const CAPS: CheckoutCaps = { ...DEFAULT_CHECKOUT_CAPS, maxFileBytes: 100 * 1024 * 1024 };

/** Returns the commands for heads of this project (`owner/name`), in the order of the configuration. */
export const commandsFor = (commands: readonly ValidationCommand[], project: string): readonly ValidationCommand[] =>
  commands.filter(({ projects }) => projects.length === 0 || inScope(parseProjectScope(projects), project));

const notRun = (name: string, output: string): ValidationResult => ({ name, result: 'not_run', durationMs: 0, output });

const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/** Exit code when the tree could not be copied. The command then did not run. */
const NO_COPY = 199;
/** 126 and 127 are the shell's exit codes for a program that is not executable or not found. */
const NOT_STARTED = [126, 127, NO_COPY];

const COPY = '/tmp/work';
const IN_COPY =
  `exec 2>&1; mkdir ${COPY} && cp -R ${CAGED_WORKSPACE}/. ${COPY} && chmod -R u+w ${COPY} || exit ${NO_COPY}; ` +
  `cd ${COPY} && exec "$@"`;
const IN_PLACE = 'exec "$@" 2>&1';

/** The operator's arguments are passed to the shell as parameters, which the shell never parses. */
const cagedArgv = ({ command, writable }: ValidationCommand): CagedArgv => [
  '/bin/sh',
  '-c',
  writable ? IN_COPY : IN_PLACE,
  'validation',
  ...command,
];

type Running = Validating & { readonly cage: Cage; readonly root: string };

const runOne = async (
  command: ValidationCommand,
  { cage, root, redact, nowMs }: Running,
  signal: AbortSignal,
): Promise<ValidationResult> => {
  const startedAtMs = nowMs();
  try {
    const ended = await cage.run(cagedArgv(command), {
      workspace: root,
      env: { HOME: '/tmp' },
      timeoutMs: command.timeoutS * 1000,
      outputBytes: MAX_OUTPUT_BYTES,
      signal,
    });
    const durationMs = Math.max(0, Math.round(nowMs() - startedAtMs));
    return { name: command.name, result: judge(ended), durationMs, output: tailOf(ended, command, redact) };
  } catch (error) {
    if (!(error instanceof ProcessStartError)) throw error;
    return notRun(command.name, 'The cage could not be started.');
  }
};

const judge = ({ code, timedOut, truncated }: CageResult): ValidationResult['result'] => {
  if (timedOut || truncated) return 'failed';
  if (code === null || NOT_STARTED.includes(code)) return 'not_run';
  return code === 0 ? 'passed' : 'failed';
};

const MAX_TAIL = 4_000;

const limitNote = ({ timedOut, truncated }: CageResult, { timeoutS }: ValidationCommand): string => {
  if (timedOut) return `\n[killed after ${timeoutS} s]`;
  return truncated ? `\n[killed after ${MAX_OUTPUT_BYTES} bytes of output]` : '';
};

/** Redacts before cutting, because the scan would not recognise half a secret. */
const tailOf = (ended: CageResult, command: ValidationCommand, redact: Redactor): string => {
  const note = limitNote(ended, command);
  const said = showHidden(redact(ended.stdout.toString('utf8')).text).trimEnd();
  return `${said.slice(Math.max(0, said.length - MAX_TAIL + note.length))}${note}`;
};
