/** What is validated is the tree that would be pushed: read from git, and once by a real command in a real cage. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FixTask } from '../../../services/author/change/agent.ts';
import type { AuthorFile } from '../../../services/author/change/decide-change.ts';
import type { ValidationCommand } from '../../../shared/config/validation-settings.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import type { ValidationResult } from '../../../shared/rounds/model/validations.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import type { Validation } from '../../../shared/validation/connect.ts';
import { validate } from '../../../shared/validation/validate.ts';
import { runId } from '../../shared/rounds/builders.ts';
import { findTestCage } from '../../support/cage.ts';
import { type FixWorld, makeFixWorld, write } from './fix-world.ts';

let world: FixWorld;
beforeEach(() => {
  world = makeFixWorld();
});
afterEach(() => world.dispose());

const BEFORE = 'eval(text);\n';
const AFTER = 'JSON.parse(text);\n';
const FIXED = write('src/run.js', AFTER);

type Says = ValidationResult['result'];
/** What each command says about the head, and about the fix. */
type Commands = Readonly<Record<string, readonly [head: Says, fix: Says]>>;

type Asked = readonly [tree: 'head' | 'fix' | 'other', names: readonly string[]];

/** Knows a tree by the file that is fixed, as git has it at the commit that is asked about. */
const checkWith = (commands: Commands): readonly Asked[] => {
  const asked: Asked[] = [];
  const answer: Validation['validate'] = async ({ revisions, head, only, gitUrl, changeRequest }, signal) => {
    expect([gitUrl, changeRequest]).toEqual([world.brief().git.url, world.brief().changeRequest]);
    const file = await revisions.readFile({ commit: head, path: 'src/run.js', maxBytes: 100 }, signal);
    const text = file.kind === 'text' ? file.text : '';
    const tree = text === BEFORE ? 'head' : text === AFTER ? 'fix' : 'other';
    const names = Object.keys(commands).filter((name) => only?.includes(name) !== false);
    asked.push([tree, names]);
    return names.map((name) => {
      const [ofHead, ofFix] = commands[name] ?? ['not_run', 'not_run'];
      return { name, result: tree === 'head' ? ofHead : ofFix, durationMs: 1, output: '' };
    });
  };
  world.check({ validate: answer, canValidate: () => true });
  return asked;
};

describe('a fix is pushed', () => {
  it.each<[string, Commands, readonly Asked[], readonly unknown[]]>([
    ['when it passes every command, and then the head is not asked', { tests: ['failed', 'passed'] }, [], []],
    [
      'when what it fails failed before as well',
      { old: ['failed', 'failed'], tests: ['passed', 'passed'] },
      [['head', ['old']]],
      [],
    ],
    [
      'when what cannot be run on it could not be run before either',
      { lint: ['not_run', 'not_run'], tests: ['passed', 'passed'] },
      [['head', ['lint']]],
      [{ validations: ['lint'] }],
    ],
    [
      'when what cannot be run on it failed before',
      { lint: ['failed', 'not_run'] },
      [['head', ['lint']]],
      [{ validations: ['lint'] }],
    ],
    [
      'when nobody can say whether the head passes',
      { lint: ['not_run', 'failed'] },
      [['head', ['lint']]],
      [{ validations: ['lint'] }],
    ],
  ])('%s', async (_when, commands, alsoAsked, warnings) => {
    const asked = checkWith(commands);
    expect(await world.fix({ changes: [FIXED] })).toEqual({ kind: 'fixed', pushed: world.tip() });
    expect(asked).toEqual([['fix', Object.keys(commands)], ...alsoAsked]);
    expect(world.warnings).toEqual(warnings);
  });
});

describe('a fix that breaks what its head passes', () => {
  const broken = { tests: ['passed', 'failed'], old: ['failed', 'failed'], types: ['passed', 'passed'] } as const;

  it('is not pushed, and the report names the commands', async () => {
    const asked = checkWith(broken);
    expect(await world.fix({ changes: [FIXED] })).toEqual({
      kind: 'stopped',
      code: 'VALIDATION_FAILED',
      refusals: [],
    });
    expect(world.tip()).toBe(world.head);
    expect(asked).toEqual([
      ['fix', ['tests', 'old', 'types']],
      ['head', ['tests', 'old']],
    ]);
    expect(world.reports.get(world.brief().runId)).toMatchObject({ commit: null, failedValidations: ['tests'] });
    expect(readdirSync(path.join(world.folder, 'scratch'))).toEqual([]);
  });

  it('is not pushed either when it cannot even be run on the fix', async () => {
    const asked = checkWith({ tests: ['failed', 'not_run'], lint: ['passed', 'not_run'], types: ['passed', 'failed'] });
    expect(await world.fix({ changes: [FIXED] })).toMatchObject({ kind: 'stopped', code: 'VALIDATION_FAILED' });
    expect(asked.at(-1)).toEqual(['head', ['tests', 'lint', 'types']]);
    expect(world.reports.get(world.brief().runId)).toMatchObject({ failedValidations: ['lint', 'types'] });
    expect(world.warnings).toEqual([{ validations: ['tests', 'lint'] }]);
    expect(world.tip()).toBe(world.head);
  });

  it.each([
    ['while it is validated', 0],
    ['while its head is validated', 1],
  ])('belongs to nobody when guard gives the order up %s', async (_when, after) => {
    const asked = checkWith(broken);
    let calls = 0;
    const scripted = world.checks().validate;
    world.check({ validate: async (head, signal) => ((calls += 1) > after ? null : scripted(head, signal)) });
    expect(await world.fix({ changes: [FIXED] })).toEqual({ kind: 'stopped', code: 'ORDER_LAPSED', refusals: [] });
    expect([world.tip(), asked.length]).toEqual([world.head, after]);
  });

  it('asks before each command whether guard still waits', async () => {
    world.check({
      validate: async ({ isWanted }) => {
        expect(await isWanted()).toBe(true);
        world.say({ ordered: false });
        return (await isWanted()) ? [] : null;
      },
    });
    expect(await world.fix({ changes: [FIXED] })).toMatchObject({ code: 'ORDER_LAPSED' });
  });
});

describe('an agent', () => {
  type Seen = Awaited<ReturnType<NonNullable<FixTask['validate']>>>;

  /** What it hears about changes that it tries out, and whether it can try any out. */
  const tryOut = async (...changes: readonly AuthorFile[]): Promise<Seen | 'not offered'> => {
    let seen: Seen | 'not offered' = 'not offered';
    await world.fix({
      name: 'curious',
      work: async (task, signal) => {
        if (task.validate !== undefined) seen = await task.validate(changes, signal);
        return { kind: 'failed', code: 'ENOUGH', spent: NOTHING_SPENT };
      },
    });
    return seen;
  };

  it('tries its changes out on the tree that they make, and leaves nothing behind', async () => {
    const asked = checkWith({ tests: ['failed', 'passed'] });
    expect(await tryOut(FIXED)).toEqual({
      kind: 'validated',
      results: [{ name: 'tests', result: 'passed', durationMs: 1, output: '' }],
    });
    expect(asked).toEqual([['fix', ['tests']]]);
    expect(readdirSync(path.join(world.folder, 'scratch'))).toEqual([]);
    expect(world.tip()).toBe(world.head);
  });

  it('without a change hears about its head', async () => {
    const asked = checkWith({ tests: ['failed', 'passed'] });
    expect(await tryOut()).toMatchObject({ results: [{ result: 'failed' }] });
    expect(asked).toEqual([['head', ['tests']]]);
  });

  it('hears why changes would not be pushed, and nothing is run', async () => {
    const asked = checkWith({ tests: ['passed', 'passed'] });
    expect(await tryOut(FIXED, write('.gitlab-ci.yml', 'evil: true\n'))).toEqual({
      kind: 'refused',
      reason: 'these changes would not be pushed: .gitlab-ci.yml: it is protected',
    });
    expect(asked).toEqual([]);
  });

  it('hears that nobody waits for it any more', async () => {
    checkWith({});
    world.check({ validate: async () => null });
    expect(await tryOut(FIXED)).toEqual({ kind: 'refused', reason: 'this fix is no longer wanted' });
  });

  it('is offered nothing where nothing would be run', async () => {
    checkWith({ tests: ['passed', 'passed'] });
    world.check({ canValidate: () => false });
    expect(await tryOut(FIXED)).toBe('not offered');
  });
});

const { cage, folder, dispose, why } = await findTestCage();
afterAll(dispose);

describe.skipIf(cage === null)(`in a real cage${why}`, () => {
  const commands: readonly ValidationCommand[] = [
    { name: 'parses', command: ['/bin/grep', '-q', 'eval', 'src/run.js'], projects: [], timeoutS: 20, writable: false },
  ];

  it('a command reads the fix before it is pushed, and the head that passes', async () => {
    const checkoutFolder = path.join(folder, 'checkouts');
    const nowMs = (): number => performance.now();
    world.check({
      validate: async (head, signal) =>
        validate(
          { ...head, project: 'a/b' },
          { cage, commands, checkoutFolder, redact: createRedactor([]), nowMs },
          signal,
        ),
    });
    expect(await world.fix({ changes: [FIXED] })).toMatchObject({ code: 'VALIDATION_FAILED' });
    const next = world.brief({ runId: runId('next') });
    const better = { changes: [write('src/run.js', 'safe.eval(text);\n')] };
    expect(await world.fix(better, next)).toMatchObject({ kind: 'fixed' });
    expect(readdirSync(checkoutFolder)).toEqual([]);
  });
});
