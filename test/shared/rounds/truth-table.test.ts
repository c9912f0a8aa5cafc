/** Every combination of what a verdict rests on, through the production gate: there is one road to a pass. */
import { describe, expect, it } from 'vitest';
import type { CiReading } from '../../../shared/rounds/model/ci.ts';
import type { ExceededBudget } from '../../../shared/vocabulary/exceeded.ts';
import { gate } from '../../../shared/rounds/gate/gate.ts';
import type { Thread } from '../../../shared/rounds/model/history.ts';
import { judgeDraft } from '../../../shared/rounds/gate/judge-draft.ts';
import type { ValidationResult } from '../../../shared/rounds/model/validations.ts';
import { isClear, judgeReview, judgeThreads } from '../../../shared/rounds/gate/verdict.ts';
import type { DraftFinding, ThreadAnswer } from '../../../shared/vocabulary/finding.ts';
import * as make from './builders.ts';

const EXCEEDED: ExceededBudget = { budget: 'money', scope: 'project', limit: 100_000_000 };

const CI = {
  none: null,
  passed: { kind: 'passed' },
  failed: { kind: 'failed', contexts: ['build'] },
  pending: { kind: 'pending', contexts: ['build'] },
  unreadable: { kind: 'unreadable' },
} as const satisfies Readonly<Record<string, CiReading | null>>;

const validation = (result: ValidationResult['result']): ValidationResult => ({
  name: `a ${result} one`,
  result,
  durationMs: 1,
  output: '',
});

const VALIDATIONS = {
  none: [],
  passed: [validation('passed'), validation('passed')],
  failed: [validation('passed'), validation('failed')],
  'not run': [validation('passed'), validation('not_run')],
  'failed and not run': [validation('failed'), validation('not_run')],
} as const satisfies Readonly<Record<string, readonly ValidationResult[]>>;

type Fresh = { readonly claim: Partial<DraftFinding> | null; readonly blocks: boolean };

const FRESH = {
  none: { claim: null, blocks: false },
  P0: { claim: { severity: 'P0' }, blocks: true },
  P1: { claim: { severity: 'P1' }, blocks: true },
  'P1 that the change requires': { claim: { severity: 'P1', relation: 'required_by_current_diff' }, blocks: true },
  'P1 outside': { claim: { severity: 'P1', relation: 'outside_diff' }, blocks: false },
  'P2 that blocks': { claim: { severity: 'P2', blocking: true }, blocks: true },
  P2: { claim: { severity: 'P2', blocking: false }, blocks: false },
  P3: { claim: { severity: 'P3', blocking: true }, blocks: false },
} as const satisfies Readonly<Record<string, Fresh>>;

type Told = {
  readonly before: Partial<Thread> | null;
  readonly action: ThreadAnswer['action'] | null;
  /** What the reasons say of it; null when it does not block. */
  readonly blocks: string | null;
};

const NIT = { severity: 'P3', blocking: false } as const;

const THREADS = {
  none: { before: null, action: null, blocks: null },
  resolved: { before: {}, action: 'resolve', blocks: null },
  replied: { before: {}, action: 'reply', blocks: 'still blocks' },
  vetoed: { before: {}, action: 'veto', blocks: 'still blocks' },
  escalated: { before: {}, action: 'escalate', blocks: 'still blocks' },
  'a nit that was replied': { before: NIT, action: 'reply', blocks: null },
  'a nit that was escalated to P0': { before: NIT, action: 'escalate', blocks: 'still blocks' },
  unanswered: { before: {}, action: null, blocks: 'was not looked at and blocks' },
  'vetoed before': { before: { state: 'vetoed' }, action: null, blocks: 'waits for a human and blocks' },
  'escalated before': { before: { state: 'escalated' }, action: null, blocks: 'waits for a human and blocks' },
  'resolved before': { before: { state: 'resolved' }, action: null, blocks: null },
  'dismissed before': { before: { state: 'dismissed' }, action: null, blocks: null },
} as const satisfies Readonly<Record<string, Told>>;

const bools = [true, false] as const;
const keysOf = <Table extends object>(table: Table): readonly (keyof Table)[] =>
  // Object.keys forgets the names that the table has.
  Object.keys(table) as (keyof Table)[];

const INPUTS = {
  complete: bools,
  currentHead: bools,
  unverified: bools,
  ledgerFull: bools,
  exceeded: bools,
  ci: keysOf(CI),
  validations: keysOf(VALIDATIONS),
  fresh: keysOf(FRESH),
  thread: keysOf(THREADS),
} as const;

type Case = { readonly [Key in keyof typeof INPUTS]: (typeof INPUTS)[Key][number] };

/** Only a budget that ran out leaves a thread without an answer: else it is a breach, and nothing is judged at all. */
const cases = Object.entries(INPUTS)
  .reduce<readonly object[]>(
    (some, [key, values]) => some.flatMap((each) => values.map((value) => ({ ...each, [key]: value }))),
    [{}],
  )
  .map((each) => each as Case)
  .filter(({ thread, exceeded }) => exceeded || thread !== 'unanswered');

const answerFor = (action: ThreadAnswer['action'] | null): ThreadAnswer[] =>
  action === null
    ? []
    : [
        {
          findingId: 'F-001',
          stance: action === 'resolve' ? 'accepts' : 'seeks_change',
          action,
          severity: action === 'escalate' ? 'P0' : null,
          body: '',
        },
      ];

/** As of the combinations that differ in nothing that the gate reads. */
const gatedBefore = new Map<string, ReturnType<typeof gateCase>>();

const gateCase = ({ fresh, thread, unverified, exceeded }: Case) => {
  const { before, action }: Told = THREADS[thread];
  const { claim }: Fresh = FRESH[fresh];
  const elsewhere = { path: 'new.ts', title: 'Quite another matter', evidence: 'fresh();' };
  const doubtful = { path: 'far.ts', title: 'Unproved', evidence: 'zzz' };
  const history = make.history({ threads: before === null ? [] : [make.thread(before)], nextNumber: 2 });
  const draft = make.draft({
    review: 2,
    findings: [
      ...(claim === null ? [] : [make.finding({}, { ...elsewhere, ...claim })]),
      ...(unverified ? [make.finding({ evidenced: false }, doubtful)] : []),
    ],
    answers: answerFor(action),
    resolvable: [{ findingId: 'F-001', why: 'touched' }],
    exceeded: exceeded ? EXCEEDED : null,
  });
  return { history, draft, gated: gate(draft, history, make.policy({}, { max: 9 })) };
};

const inputs = new Map<Case, ReturnType<typeof makeInput>>();

const inputOf = (given: Case) => {
  const known = inputs.get(given) ?? makeInput(given);
  inputs.set(given, known);
  return known;
};

const makeInput = (given: Case) => {
  const key = JSON.stringify([given.fresh, given.thread, given.unverified, given.exceeded]);
  const known = gatedBefore.get(key) ?? gateCase(given);
  gatedBefore.set(key, known);
  const { complete, currentHead, ledgerFull } = given;
  return {
    ...known,
    coverage: { files: 1, reviewed: complete ? 1 : 0, omitted: [], complete },
    currentHead,
    ledgerFull,
    exceeded: given.exceeded ? EXCEEDED : null,
    ci: CI[given.ci],
    validations: VALIDATIONS[given.validations],
  };
};

const blocks = ({ fresh, thread }: Case): boolean => FRESH[fresh].blocks || THREADS[thread].blocks !== null;

const isDoubtful = ({ complete, currentHead, unverified, ledgerFull }: Case): boolean =>
  !complete || !currentHead || unverified || ledgerFull;

/** What machines make of a round that nothing else keeps from a pass. */
const afterMachines = ({ ci, validations }: Pick<Case, 'ci' | 'validations'>) => {
  if (ci === 'failed' || validations === 'failed' || validations === 'failed and not run') return 'feedback';
  return ci === 'pending' || ci === 'unreadable' || validations === 'not run' ? 'inconclusive' : 'lgtm';
};

const expected = (given: Case) => {
  if (given.exceeded) return 'inconclusive';
  if (blocks(given)) return 'feedback';
  return isDoubtful(given) ? 'inconclusive' : afterMachines(given);
};

/** Collected, because that many single expectations take minutes. */
const wrongIn = (holds: (given: Case) => boolean): readonly Case[] =>
  cases.filter((given) => !holds(given)).slice(0, 3);

describe('the verdict', () => {
  it(`has one road to lgtm among ${cases.length} combinations`, () => {
    expect(cases.length).toBeGreaterThan(70_000);
    expect(wrongIn((given) => inputOf(given).gated.violations.length === 0)).toEqual([]);
    expect(wrongIn((given) => judgeReview(inputOf(given)).verdict === expected(given))).toEqual([]);
    const passes = cases.filter((given) => judgeReview(inputOf(given)).verdict === 'lgtm');
    const kept = (key: keyof Case): readonly unknown[] => [...new Set(passes.map((given) => given[key]))];
    expect(Object.fromEntries(keysOf(INPUTS).map((key) => [key, kept(key)]))).toEqual({
      complete: [true],
      currentHead: [true],
      unverified: [false],
      ledgerFull: [false],
      exceeded: [false],
      ci: ['none', 'passed'],
      validations: ['none', 'passed'],
      fresh: ['none', 'P1 outside', 'P2', 'P3'],
      thread: ['none', 'resolved', 'a nit that was replied', 'resolved before', 'dismissed before'],
    });
  });

  it('always says why, and never that nothing blocks beside something that does', () => {
    const isSaid = (given: Case): boolean => {
      const { verdict, reasons } = judgeReview(inputOf(given));
      return reasons.length > 0 && (verdict === 'lgtm') === reasons.includes('nothing blocks');
    };
    expect(wrongIn(isSaid)).toEqual([]);
  });

  it('of a review that was cut short names the budget, and everything that blocks all the same', () => {
    const words = (given: Case): readonly string[] => [
      ...(FRESH[given.fresh].blocks ? ['is new and blocks'] : []),
      ...[THREADS[given.thread].blocks ?? []].flat(),
    ];
    const isNamed = (given: Case): boolean => {
      const [first, ...rest] = judgeReview(inputOf(given)).reasons;
      const said = rest.map((reason) => reason.replace(/^F-\d+ /, ''));
      return (
        first === 'reviewer_budget_exceeded: the budget of this project for today ($100) is used up' &&
        JSON.stringify(said) === JSON.stringify(words(given))
      );
    };
    expect(wrongIn((given) => !given.exceeded || isNamed(given))).toEqual([]);
  });

  it('is remembered as clear, or as held back by machines, only where nothing else keeps it from a pass', () => {
    const isRemembered = (given: Case): boolean => {
      const { draft, history, gated, coverage, validations, ci, currentHead } = inputOf(given);
      // The ledger is read from the history here, and is never full in one so small.
      if (given.ledgerFull) return true;
      const facts = { head: currentHead ? draft.head : make.sha('newer') };
      const { remembered } = judgeDraft({
        facts,
        history,
        draft: { ...draft, coverage, validations: [...validations] },
        gated,
        ci,
      });
      const isSound = !given.exceeded && !isDoubtful(given);
      const isReviewed = !given.exceeded && !isDoubtful({ ...given, unverified: false });
      const others = isSound && !blocks(given);
      const byCi = others && afterMachines({ ...given, ci: 'none' }) === 'lgtm' && afterMachines(given) !== 'lgtm';
      const byValidations = others && afterMachines({ ...given, ci: 'none' }) !== 'lgtm';
      return (
        remembered.verdict === expected(given) &&
        (remembered.clear === true) === (isReviewed && ['none', 'passed'].includes(given.validations)) &&
        (remembered.onlyCi === true) === byCi &&
        (remembered.onlyChecks === true) === byValidations
      );
    };
    expect(wrongIn(isRemembered)).toEqual([]);
  });

  it('cannot be talked into a pass that its round could not vouch for', () => {
    const isVouched = (given: Case): boolean => {
      const input = inputOf(given);
      const { verdict } = judgeReview(input);
      const clear = isClear(input);
      // What nobody could verify is among the threads until somebody dismisses it.
      const threads = given.unverified ? [make.thread({ state: 'unverified' })] : [];
      const talked = judgeThreads({ verdict, clear }, threads).verdict;
      return (
        talked !== 'lgtm' ||
        (!given.exceeded && !isDoubtful(given) && afterMachines({ ...given, ci: 'none' }) === 'lgtm')
      );
    };
    expect(wrongIn(isVouched)).toEqual([]);
  });
});
