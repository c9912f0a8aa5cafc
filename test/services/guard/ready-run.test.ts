import { describe, expect, test } from 'vitest';
import { type CiQuestion, fetchCi, fetchDraft, withCi } from '../../../services/guard/ready-run.ts';
import { type ForgeErrorCode, ForgeRequestError } from '../../../shared/forge/errors.ts';
import type { CommitStatus } from '../../../shared/forge/port-statuses.ts';
import type { DecideInput } from '../../../shared/rounds/decide/decision.ts';
import type { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import type { ReviewedInput, Thread } from '../../../shared/rounds/model/history.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { inputKey } from '../../../shared/rounds/model/input.ts';
import * as make from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';

const RUN = make.run();
const BUILD: CommitStatus = { context: 'build', state: 'pending', description: '', createdAtMs: 0 };
const drafted = make.runEvent(RUN, 'drafted');

const refused = (code: ForgeErrorCode): ForgeRequestError =>
  new ForgeRequestError({ code, message: 'no', disposition: { kind: 'fail' }, fields: {}, cause: undefined });

type Told = {
  readonly question?: Partial<CiQuestion>;
  readonly answers?: readonly CommitStatus[] | Error;
  readonly graceMs?: number;
};

/** What is read, and how often the forge was asked. */
const ask = async ({ question = {}, answers = [BUILD], graceMs = 0 }: Told = {}) => {
  let calls = 0;
  const surprise = async (): Promise<never> => {
    throw new Error('was not expected');
  };
  const read: CiQuestion['forge']['read'] = {
    fetchChangeRequest: surprise,
    fetchComments: surprise,
    fetchPermission: surprise,
    locateGit: surprise,
    fetchProject: surprise,
    fetchBranch: surprise,
    fetchApprovers: surprise,
    fetchStatuses: surprise,
    fetchChecks: async ({ head }) => {
      calls += 1;
      expect(head).toBe(RUN.head);
      if (answers instanceof Error) throw answers;
      return { statuses: answers, required: [] };
    },
  };
  const policy = make.policy();
  const deps = { policy: { ...policy, gate: { ...policy.gate, ciGraceMs: graceMs } }, nowMs: () => make.NOW };
  const ci = await fetchCi(deps, {
    forge: { read, botIds: new Set([9]) },
    of: make.changeRequest().changeRequest,
    state: make.state({ running: RUN }),
    facts: make.facts(),
    events: [drafted],
    signal: never(),
    ...question,
  });
  return { ci, calls };
};

const PENDING = { kind: 'pending', contexts: ['build'] };

test('CI is read once for a round, when it is ready and while it waits', async () => {
  expect(await ask()).toEqual({ ci: PENDING, calls: 1 });
  const waiting = make.state({ running: make.run({ phase: 'waiting_ci' }) });
  expect(await ask({ question: { state: waiting, events: [] } })).toEqual({ ci: PENDING, calls: 1 });
});

test.each<[string, Told]>([
  ['nothing runs', { question: { state: make.state() } }],
  ['the review is still at work', { question: { events: [{ source: 'wake', id: 'w', atMs: 0 }] } }],
  [
    'another run reports',
    { question: { events: [make.runEvent(make.run({ runId: make.runId('other') }), 'drafted')] } },
  ],
  ['it is being posted already', { question: { state: make.state({ running: make.run({ phase: 'posting' }) }) } }],
  [
    'the head has moved',
    { question: { facts: make.facts({ changeRequest: make.changeRequest({ head: make.sha('newer') }) }) } },
  ],
])('the forge is not asked for statuses where %s', async (_name, told) => {
  expect(await ask(told)).toEqual({ ci: null, calls: 0 });
});

test.each([
  ['is known since an hour', { head: RUN.head, atMs: make.NOW - 3_600_000 }, { kind: 'passed' }],
  ['has just been seen', { head: RUN.head, atMs: make.NOW }, { kind: 'awaited', untilMs: make.NOW + 60_000 }],
  [
    'is newer than the one that was seen',
    { head: make.sha('older'), atMs: 0 },
    { kind: 'awaited', untilMs: make.NOW + 60_000 },
  ],
  ['was never seen before', null, { kind: 'awaited', untilMs: make.NOW + 60_000 }],
] as const)('no CI counts as a pass only after its time to begin: a head that %s', async (_what, firstSeen, ci) => {
  const state = make.state({ running: RUN, firstSeen });
  expect((await ask({ answers: [], question: { state }, graceMs: 60_000 })).ci).toMatchObject(ci);
});

test('CI that the account may not see is no pass, and a forge that fails is asked again', async () => {
  for (const code of ['FORGE_FORBIDDEN', 'FORGE_NOT_FOUND'] as const)
    expect((await ask({ answers: refused(code) })).ci).toEqual({ kind: 'unreadable' });
  await expect(ask({ answers: refused('FORGE_UNAVAILABLE') })).rejects.toThrow('no');
});

const HELD = {
  head: RUN.head,
  base: make.sha('base'),
  fingerprint: make.print('patch'),
  target: 'main',
  targetHead: make.sha('target'),
  rules: make.print('rules'),
  review: 1,
  verdict: 'feedback',
  clear: true,
  onlyCi: true,
} as const;

const atRest = (
  entry: Partial<ReviewedInput> = {},
  state: Parameters<typeof make.state>[0] = {},
  threads: readonly Thread[] = [],
): Told => ({
  question: {
    state: make.state({ reviewed: [make.at(RUN.head)], ...state }),
    events: [make.forgeEvent('pipeline')],
    facts: make.facts({ history: make.history({ reviewed: [{ ...HELD, ...entry }], threads }) }),
  },
});

test('CI is read again where nothing but CI keeps the reviewed head from a pass', async () => {
  expect(await ask({ ...atRest(), answers: [] })).toEqual({ ci: { kind: 'passed' }, calls: 1 });
  expect((await ask(atRest({ verdict: 'inconclusive' }))).calls).toBe(1);
});

test.each<[string, Told]>([
  ['it has passed', atRest({ verdict: 'lgtm', onlyCi: undefined })],
  ['more than CI keeps it from a pass', atRest({ onlyCi: undefined, onlyChecks: true })],
  ['another head was reviewed last', atRest({ head: make.sha('other') })],
  ['a thread blocks since', atRest({}, {}, [make.thread()])],
  ['CI was looked at again already', atRest({}, { reevaluatedFor: `${inputKey(RUN)} ci` })],
  ['a newer head waits for calm', atRest({}, { quiet: { head: RUN.head, untilMs: 1 } })],
  ['a review of it is wanted', atRest({}, { wanted: make.at(RUN.head) })],
])('the forge is not asked again for statuses where %s', async (_name, told) => {
  expect(await ask(told)).toEqual({ ci: null, calls: 0 });
});

test('the forge is not asked for statuses of a change request that has ended', async () => {
  const ended = atRest();
  const { facts } = ended.question ?? {};
  if (facts === undefined) throw new Error('no facts');
  const closed = { ...facts, changeRequest: make.changeRequest({ state: 'closed' }) };
  expect(await ask({ ...ended, question: { ...ended.question, facts: closed } })).toEqual({ ci: null, calls: 0 });
});

const same: InboxEvent = { source: 'run', kind: 'same_input', id: 's', atMs: 0, runId: RUN.runId, code: null };

test.each<[string, GuardState['running'], readonly InboxEvent[], boolean]>([
  ['is loaded once the run reports it', RUN, [drafted], true],
  ['is loaded while the run waits for CI', make.run({ phase: 'waiting_ci' }), [], true],
  ['is looked for where the run reports that nothing is new', RUN, [same], true],
  ['is not loaded while the run is at work', RUN, [], false],
  ['is not loaded for the report of another run', make.run({ runId: make.runId('other') }), [drafted], false],
  ['is not loaded again while it is posted', make.run({ phase: 'posting' }), [drafted], false],
  ['is not loaded where nothing runs', null, [drafted], false],
])('the draft %s', async (_name, running, events, isLoaded) => {
  const asked: string[] = [];
  const drafts = {
    load: async (key: string) => {
      asked.push(key);
      return make.draft();
    },
    save: async (): Promise<never> => {
      throw new Error('was not expected');
    },
  };
  const keys = createKeys('x');
  const draft = await fetchDraft({ drafts, keys }, { state: make.state({ running }), events });
  expect(asked).toEqual(isLoaded ? [keys.ofRun(RUN.runId, 'draft')] : []);
  expect(draft).toEqual(isLoaded ? make.draft() : null);
});

describe('CI is read for a decision', () => {
  const passing = make.draft();
  const blocked = make.draft({ findings: [make.finding()] });

  const readFor = async (draft: ReviewDraft | null, patch: Partial<DecideInput> = {}) => {
    let calls = 0;
    const fetchChecks = async () => {
      calls += 1;
      return { statuses: [BUILD], required: [] };
    };
    // Nothing else is asked.
    const read = { fetchChecks } as unknown as CiQuestion['forge']['read'];
    const policy = make.policy();
    const state = make.state({ running: RUN });
    const facts = make.facts({ ci: null, draft });
    const given = { state, events: [drafted], facts, policy, nowMs: make.NOW, freshRunId: make.runId('fresh') };
    const of = make.changeRequest().changeRequest;
    const asked = { forge: { read, botIds: new Set([9]) }, of, signal: never() };
    const input = await withCi({ policy, nowMs: () => make.NOW }, { ...given, ...patch }, asked);
    return { ci: input.facts.ci, calls };
  };

  test('if its result would pass, and the decision then waits for it', async () => {
    expect(await readFor(passing)).toEqual({ ci: PENDING, calls: 1 });
    const waiting = make.state({ running: make.run({ phase: 'waiting_ci' }) });
    expect(await readFor(passing, { state: waiting, events: [] })).toEqual({ ci: PENDING, calls: 1 });
  });

  test('neither for a result that blocks or was lost, nor a second time', async () => {
    expect(await readFor(blocked)).toEqual({ ci: null, calls: 0 });
    expect(await readFor(null)).toEqual({ ci: null, calls: 0 });
    const known = make.facts({ ci: { kind: 'passed' }, draft: passing });
    expect(await readFor(passing, { facts: known })).toEqual({ ci: { kind: 'passed' }, calls: 0 });
  });
});
