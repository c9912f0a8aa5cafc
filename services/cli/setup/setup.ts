/** `fixpoint setup` connects a forge with this installation. */
import { createRedactor } from '../../../shared/text/redact.ts';
import { exitCodeOf } from '../doctor/doctor.ts';
import { thisMachine } from '../doctor/machine.ts';
import { untilInterrupted } from '../terminal/until-interrupted.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { applySteps, rememberRun } from './apply.ts';
import { openTerminal } from './ask.ts';
import type { SetupContext } from './context.ts';
import { shownCalls } from './dry-run.ts';
import { type Finished, finishSetup } from './finish.ts';
import { parseListen, parseWait } from './inputs.ts';
import { isAllDone } from './plan/plan.ts';
import type { SetupStep } from './plan/step.ts';
import { openSetup, type ReadSetup, readSetup } from './read-setup.ts';
import { removeSetup } from './remove.ts';
import { type ReportedStep, setupJson, type SetupReport, setupText, stepLines } from './report.ts';
import type { SetupOptions } from './setup-options.ts';

export const setup = async (options: SetupOptions): Promise<number> => {
  const mayAsk = process.stdin.isTTY && process.stdout.isTTY && options.yes !== true && options.json !== true;
  const terminal = mayAsk ? openTerminal(process.stdin, process.stdout) : null;
  const around = {
    env: process.env,
    machine: thisMachine(),
    ask: terminal?.ask ?? null,
    say: (text: string) => void process.stdout.write(text),
  };
  try {
    return await untilInterrupted(async (signal) => runSetup(options, { ...around, signal }));
  } finally {
    terminal?.close();
  }
};

type Mode = SetupReport['mode'];

/**
 * Returns 0 if the setup is complete, otherwise 1. @throws `USAGE` (2): bad input, missing permissions, unreachable
 * forge
 */
export const runSetup = async (options: SetupOptions, context: SetupContext): Promise<number> => {
  const mode = modeOf(options);
  parseListen(options.listen);
  const waitMs = parseWait(options.wait);
  if (mode === 'remove') return remove(options, context);
  const read = await readSetup(options, context, await openSetup(options, context));
  const running: Running = { options, context, read, mode, waitMs };
  switch (mode) {
    case 'check':
      return check(running);
    case 'dry-run':
      return dryRun(running);
    case 'apply':
      return apply(running);
    default:
      return mode satisfies never;
  }
};

const modeOf = ({ check: checks, dryRun: dry, remove: removes }: SetupOptions): Mode => {
  if (checks === true && (dry === true || removes === true))
    throw new UsageError('--check cannot be combined with --dry-run or --remove');
  if (removes === true) return 'remove';
  if (checks === true) return 'check';
  return dry === true ? 'dry-run' : 'apply';
};

type Running = {
  readonly options: SetupOptions;
  readonly context: SetupContext;
  readonly read: ReadSetup;
  readonly mode: Mode;
  readonly waitMs: number;
};

const DIFFERS = 'Something differs from what setup creates; run it without --check.';

const check = async (running: Running): Promise<number> => {
  const { read, context, waitMs } = running;
  if (!isAllDone(read.steps)) {
    print(running, { steps: read.steps, conclusion: DIFFERS });
    return 1;
  }
  const finished = await finishSetup({ read, context, mayAct: false, tests: false, waitMs });
  const drifted = !isSettled(finished);
  const code = drifted ? 1 : exitCodeOf(finished.doctor);
  const well =
    code === 0 ? 'Everything is as setup created it.' : 'Everything is as setup created it, but doctor found problems.';
  const conclusion = drifted ? DIFFERS : well;
  print(running, { steps: read.steps, finished, conclusion });
  return code;
};

const dryRun = async (running: Running): Promise<number> => {
  const { read } = running;
  const calls = shownCalls(read);
  const conclusion = calls.length === 0 ? 'Nothing to change.' : 'Nothing was changed.';
  print(running, { steps: read.steps, calls, conclusion });
  return 0;
};

const apply = async (running: Running): Promise<number> => {
  const { options, context, read, waitMs } = running;
  const help = read.steps.filter(({ state }) => state === 'blocked');
  if (help.length > 0) throw new UsageError(help.map(({ text, fix }) => `${text}: ${fix ?? ''}`).join('\n'));
  if (!(await isConfirmed(running))) {
    context.say('Nothing was changed.\n');
    return 1;
  }
  await applySteps(read, context);
  await rememberRun(read, context);
  const after = await readSetup({ ...options, replaceWebhooks: false }, context, read);
  const tests = options.test !== false;
  const finished = await finishSetup({ read: after, context, mayAct: true, tests, waitMs });
  const steps = after.steps.map((step, index) => madeStep(step, read.steps[index]));
  const isWell = isAllDone(after.steps) && isFinished(finished);
  print({ ...running, read: after }, { steps, finished, conclusion: conclusionOf(read, isWell) });
  return isWell ? 0 : 1;
};

const isSettled = ({ containers }: Finished): boolean =>
  containers === null || containers.state === 'done' || containers.state === 'made';

const isFinished = (finished: Finished): boolean => isSettled(finished) && isWorking(finished);

const isWorking = ({ redis, doctor, deliveries }: Finished): boolean =>
  redis.state === 'done' && exitCodeOf(doctor) === 0 && deliveries.every(({ state }) => state !== 'missing');

const isConfirmed = async ({ options, context, read }: Running): Promise<boolean> => {
  if (options.yes === true || context.ask === null || isAllDone(read.steps)) return true;
  context.say(`${[forgeLine(read), ...stepLines(read.steps)].join('\n')}\n`);
  return /^y(?:es)?$/i.test(await context.ask('Do this? [y/N] '));
};

/** A step that was `todo` before and is `done` now was done by this run. */
const madeStep = (after: SetupStep, before: SetupStep | undefined): ReportedStep => ({
  about: after.about,
  state: after.state === 'done' && before?.state === 'todo' ? 'made' : after.state,
  text: after.text,
  fix: after.fix,
});

const NEXT =
  'Start the services: fixpoint up; in a clone, npm start; with Docker, docker compose up -d. Then open a change request.';

const conclusionOf = ({ steps }: ReadSetup, isWell: boolean): string => {
  if (!isWell) return 'Not everything works yet: see the lines marked FAIL and HELP, and run setup again.';
  return isAllDone(steps) ? `Nothing to change: everything is in place. ${NEXT}` : `Done. ${NEXT}`;
};

const remove = async (options: SetupOptions, context: SetupContext): Promise<number> => {
  const opened = await openSetup(options, context);
  const { connected, situation } = opened;
  const dry = options.dryRun === true;
  if (!dry && context.ask !== null) {
    const answer = await context.ask(`Remove what setup has created on ${connected.baseUrl}? [y/N] `);
    if (!/^y(?:es)?$/i.test(answer)) return 1;
  }
  const { steps, calls } = await removeSetup({ connected, recordPath: situation.recordPath, context, dry });
  const isWhole = steps.every(({ state }) => state !== 'blocked');
  const conclusion = steps.length === 0 ? 'Setup has created nothing here.' : removedText(dry, isWhole);
  print({ options, context, read: opened, mode: 'remove' }, { steps, ...(dry ? { calls } : {}), conclusion });
  return isWhole ? 0 : 1;
};

const removedText = (dry: boolean, isWhole: boolean): string => {
  if (dry) return 'Nothing was changed.';
  return isWhole ? 'Done.' : 'Not everything was removed, and the files stay: see the lines marked HELP.';
};

const forgeLine = ({ connected }: Pick<ReadSetup, 'connected'>): string => {
  const { kind, version, baseUrl, id, bot } = connected;
  return `${baseUrl} is a ${kind}${version === null ? '' : ` ${version}`}, here "${id}"; the bot is ${bot.login} (id ${bot.id})`;
};

type Printing = Pick<Running, 'options' | 'context' | 'mode'> & {
  readonly read: Pick<ReadSetup, 'connected' | 'situation'>;
};

type Printed = {
  readonly steps: readonly (SetupStep | ReportedStep)[];
  readonly calls?: SetupReport['calls'];
  readonly finished?: Finished;
  readonly conclusion: string;
};

/** Redacts the report to be safe, although it should contain no secret. */
const print = ({ options, context, mode, read }: Printing, { steps, calls, finished, conclusion }: Printed): void => {
  const report: SetupReport = {
    mode,
    forge: forgeLine(read),
    steps: [
      ...steps.map(({ about, state, text, fix }) => ({ about, state, text, fix })),
      ...(finished === undefined
        ? []
        : [finished.redis, ...(finished.containers === null ? [] : [finished.containers])]),
    ],
    calls: calls ?? null,
    doctor: finished?.doctor ?? [],
    deliveries: finished?.deliveries ?? [],
    conclusion,
  };
  const redact = createRedactor(read.connected.tokens);
  context.say(redact(options.json === true ? setupJson(report) : setupText(report)).text);
};
