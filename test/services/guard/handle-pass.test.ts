/** What one pass of guard reads, remembers and leaves alone, on a real Redis. */
import type { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import type { GuardDeps, GuardForge } from '../../../services/guard/deps.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import { wakeHeld } from '../../../shared/queue/wake-held.ts';
import { createReadings } from '../../../shared/store/readings.ts';
import { useRedis } from '../../support/use-redis.ts';
import * as make from '../../shared/rounds/builders.ts';
import { summaryBy } from '../../shared/rounds/two-runs-world.ts';
import { createPassStage, HEAD, OF, type Shown, type Wish } from './pass-stage.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const MARKER = summaryBy({ seed: 'run', attempt: 1, runs: 1 }, 'posted');
const SUMMARY = make.comment(`Reviewed.\n\n${signMarker(MARKER, make.SECRET)}`);
const OPENED = make.forgeEvent('opened', { head: HEAD });

const stage = async (wish?: Wish) => createPassStage(redis, wish);

describe('a job of guard', () => {
  test('of a sweep is handed to the sweep, and an event that was delayed goes into the inbox first', async () => {
    const { attend, asked, deps } = await stage();
    expect(await attend({ v: 1, kind: 'sweep' })).toEqual({ kind: 'defer', delayMs: 77 });
    expect(asked).toEqual([]);
    expect(await attend({ v: 1, kind: 'event', changeRequest: OF, event: OPENED })).toEqual({ kind: 'done' });
    expect((await deps.states.load(OF))?.firstSeen?.head).toBe(HEAD);
  });

  test('that wakes several change requests adds the job of each, and reads nothing', async () => {
    const added: unknown[] = [];
    const enqueue: GuardDeps['enqueue'] = async (name, payload, options) => void added.push([name, payload, options]);
    const { attend, asked } = await stage({ deps: { enqueue } });
    const wakeUps = [1, 2].map((number) => ({ changeRequest: { ...OF, number }, jobId: `wake-${number}` }));
    expect(await attend({ v: 1, kind: 'wake_all', wakeUps })).toEqual({ kind: 'done' });
    expect(added).toEqual(
      wakeUps.map(({ changeRequest, jobId }) => ['guard', { v: 1, kind: 'wake', changeRequest }, { jobId }]),
    );
    expect(asked).toEqual([]);
  });

  const RUN = make.run({ deadlineMs: 5_000_000 });
  const OVERDUE = make.runEvent(RUN, 'overdue');
  const LATE_MS = RUN.deadlineMs + 50;

  test.each<[string, Partial<GuardState>, number]>([
    ['whose run has ended', { running: null }, LATE_MS],
    ['whose change request has another run', { running: { ...RUN, runId: make.runId('next') } }, LATE_MS],
    ['whose run has a later deadline', { running: { ...RUN, deadlineMs: LATE_MS + 1 } }, LATE_MS],
  ])('a timer %s reads nothing from the forge and wakes nobody', async (_name, state, nowMs) => {
    const { attend, asked, keep, waiting, steps } = await stage({ deps: { nowMs: () => nowMs } });
    await keep(make.state(state));
    expect(await attend({ v: 1, kind: 'event', changeRequest: OF, event: OVERDUE })).toEqual({ kind: 'done' });
    expect([asked, steps, await waiting()]).toEqual([[], [], []]);
  });

  test.each<[string, GuardState | null]>([
    ['of a run that is overdue', make.state({ running: RUN })],
    ['of a run about which nothing is known after a wipe of Redis', null],
  ])('a timer %s is an event', async (_name, state) => {
    const { attend, asked, keep } = await stage({ deps: { nowMs: () => RUN.deadlineMs } });
    if (state !== null) await keep(state);
    await attend({ v: 1, kind: 'event', changeRequest: OF, event: OVERDUE });
    expect(asked).toContain('change request');
  });

  test('notes for the page of the operator what it has decided, after it is stored', async () => {
    const noted: unknown[] = [];
    const board = {
      note: async (of: typeof OF, { state }: { readonly state: GuardState }) => {
        noted.push([of, state, await deps.states.load(OF)]);
      },
      runs: { add: async () => undefined },
    };
    const { attend, deliver, deps } = await stage({ deps: { board } });
    await deliver(OPENED);
    await attend();
    expect(noted).toEqual([[OF, await deps.states.load(OF), await deps.states.load(OF)]]);
  });

  test('waits while another worker has the change request', async () => {
    const { attend, asked, deliver, waiting } = await stage({ deps: { underLease: async () => null } });
    await deliver(OPENED);
    expect(await attend()).toEqual({ kind: 'defer', delayMs: 200 });
    expect([asked, await waiting()]).toEqual([[], [OPENED.id]]);
  });

  test('waits for a poster that says who the bot is', async () => {
    const { attend, logged } = await stage({ isKnown: false });
    expect(await attend()).toEqual({ kind: 'defer', delayMs: 1_000 });
    expect(logged).toEqual(['waiting for a poster to publish the posting account']);
  });

  test('of a forge that is no longer configured is dropped with a warning', async () => {
    const { attend, logged, asked } = await stage({ deps: { forges: new Map() } });
    expect(await attend()).toEqual({ kind: 'done' });
    expect([logged, asked]).toEqual([['event of a forge that is not configured'], []]);
  });
});

describe('the events in the inbox', () => {
  test('are taken out once they are dealt with', async () => {
    const { attend, deliver, waiting } = await stage();
    await deliver(OPENED);
    await attend();
    expect(await waiting()).toEqual([]);
  });

  test.each([
    ['the bot itself', make.BOT_ID],
    ['an ignored bot', make.OTHER_BOT_ID],
  ])('by %s cost no question to the forge', async (_who, actorId) => {
    const { attend, deliver, asked, waiting } = await stage();
    await deliver(make.forgeEvent('comment', { actorId, noteId: 5 }));
    await attend();
    expect([asked, await waiting()]).toEqual([[], []]);
  });

  test('make guard ask for the status only where it knows nothing of the change request', async () => {
    const { attend, deliver, asked } = await stage();
    await deliver(OPENED);
    await attend();
    expect(asked.toSorted()).toEqual(['change request', 'comments', 'statuses']);
    asked.length = 0;
    await deliver(make.forgeEvent('pushed', { id: 'second' }));
    await attend();
    expect(asked.toSorted()).toEqual(['change request', 'comments']);
  });

  test('are recorded with what was decided and why', async () => {
    const { attend, deliver, deps, logged } = await stage();
    await deliver(OPENED);
    await attend();
    const [first] = await deps.decisions.list(OF);
    expect(first).toMatchObject({ head: HEAD, events: ['forge:opened'] });
    expect(first?.reason).not.toBe('');
    expect(logged).toContain('decided');
  });

  test('pass the steps at which a crash test kills guard', async () => {
    const { attend, deliver, steps } = await stage();
    await deliver(OPENED);
    await attend();
    expect(steps.filter((step) => !/^before-(?!save|trim)/.test(step))).toEqual([
      'before-save',
      'after-save',
      'after-commands',
      // The second pass starts the run that got a slot.
      'before-save',
      'after-save',
      'after-commands',
      'before-trim',
    ]);
  });
});

describe('what the poster has just read', () => {
  const handed = { planId: 'plan', facts: make.changeRequest({ head: HEAD }), comments: [] };
  const posted: InboxEvent = {
    source: 'post',
    id: 'posted-plan',
    atMs: 0,
    runId: make.runId('run'),
    planId: 'plan',
    outcome: 'posted',
    code: null,
  };

  test.each([
    ['saves guard its questions after the report of the poster', posted, []],
    ['is too old after any other event', OPENED, ['change request', 'comments']],
  ] as const)('%s', async (_what, event, expected) => {
    const { attend, deliver, asked, deps, keep } = await stage();
    await keep(make.state());
    await createReadings(redis, deps.keys).hand(OF, handed);
    await deliver(event);
    await attend();
    expect(asked.toSorted()).toEqual(expected);
  });
});

test('the newest summary is remembered, and stays when somebody deletes it', async () => {
  const { attend, deliver, deps } = await stage({ comments: [SUMMARY] });
  const key = deps.keys.ofChangeRequest(OF, 'summary');
  const seen = { marker: MARKER, body: SUMMARY.body, authorId: make.BOT_ID };
  await deliver(OPENED);
  await attend();
  expect(await deps.summaries.load(key)).toEqual(seen);
  const without = await stage({ comments: [] });
  await without.deliver(make.forgeEvent('pushed', { id: 'second' }));
  await without.attend();
  expect(await deps.summaries.load(key)).toEqual(seen);
});

describe('the source branch is stored', () => {
  test.each<readonly [string, Shown, readonly string[], readonly string[]]>([
    ['for the authors of the project', {}, ['ann'], ['feature']],
    ['as none when the change request is gone', null, ['ann'], ['']],
    ['for nobody where the project has no author', {}, [], []],
  ])('%s', async (_what, facts, names, saved) => {
    const all: string[] = [];
    const { deps } = await stage();
    const authorsOutside = {
      ...deps.authorsOutside,
      namesOf: () => names,
      branches: { save: async (_of: unknown, branch: string) => void all.push(branch) },
    };
    const { attend, deliver } = await stage({ facts, deps: { authorsOutside } });
    await deliver(OPENED);
    await attend();
    expect(all).toEqual(saved);
  });
});

describe('the head is registered', () => {
  const statusPlace = 'pipeline 7';

  test.each<readonly [string, Shown, boolean, readonly string[], readonly string[]]>([
    ['where statuses belong to a pipeline', { statusPlace }, false, [HEAD], []],
    ['and guard is woken where an event came before', { statusPlace }, true, [HEAD], [`missed-${HEAD}`]],
    ['not where a status belongs to the commit', {}, true, [], []],
    ['not of a closed change request', { statusPlace, state: 'closed' }, true, [], []],
    ['not of one that is gone', null, true, [], []],
  ])('%s', async (_what, facts, wasMissed, added, woken) => {
    const heads: string[] = [];
    const add = async (_of: unknown, head: string): Promise<boolean> => {
      heads.push(head);
      return wasMissed;
    };
    const { attend, deliver, waiting } = await stage({ facts, deps: { heads: { add } } });
    await deliver(OPENED);
    await attend();
    expect([heads, await waiting()]).toEqual([added, woken]);
  });

  test('of a change request whose first sight of its head is not stored', async () => {
    const heads: string[] = [];
    const add = async (_of: unknown, head: string): Promise<boolean> => {
      heads.push(head);
      return false;
    };
    const { attend, deliver, keep } = await stage({ facts: { statusPlace }, deps: { heads: { add } } });
    await keep(make.state({ firstSeen: null }));
    await deliver(OPENED);
    await attend();
    expect(heads).toEqual([HEAD]);
  });

  test('once', async () => {
    const heads: string[] = [];
    const add = async (_of: unknown, head: string): Promise<boolean> => {
      heads.push(head);
      return false;
    };
    const { attend, deliver } = await stage({ facts: { statusPlace }, deps: { heads: { add } } });
    for (const id of ['first', 'second']) {
      await deliver({ ...OPENED, id });
      await attend();
    }
    expect(heads).toEqual([HEAD]);
  });
});

describe('reactions are counted', () => {
  const counting = (): { readonly reactions: NonNullable<GuardDeps['reactions']>; readonly asked: unknown[] } => {
    const asked: unknown[] = [];
    const counted = {
      has: async (of: unknown) => {
        asked.push(of);
        return true;
      },
      mark: async () => true,
    };
    // Nothing is counted, because everything has been.
    const metrics = {} as NonNullable<GuardDeps['reactions']>['metrics'];
    return { asked, reactions: { counted, metrics } };
  };
  const thumbs = {} as NonNullable<GuardForge['thumbs']>;

  test.each<readonly [string, Shown, boolean, number]>([
    ['once the change request is merged', { state: 'merged' }, true, 1],
    ['once it is closed', { state: 'closed' }, true, 1],
    ['not while it is open', {}, true, 0],
    ['not when it is gone', null, true, 0],
    ['not where the forge has none', { state: 'merged' }, false, 0],
  ])('%s', async (_what, facts, hasThumbs, times) => {
    const { reactions, asked } = counting();
    const { attend, deliver } = await stage({ facts, deps: { reactions }, ...(hasThumbs && { forge: { thumbs } }) });
    await deliver(OPENED);
    expect(await attend()).toEqual({ kind: 'done' });
    expect(asked).toHaveLength(times);
  });

  test('not where the operator has no use for them', async () => {
    const { attend, deliver } = await stage({ facts: { state: 'merged' }, forge: { thumbs } });
    await deliver(OPENED);
    expect(await attend()).toEqual({ kind: 'done' });
  });
});

describe('while the project is paused', () => {
  const BY = { atMs: 1_000, by: 'console' };

  test('events stay in the inbox: nothing is read, decided or posted, and `why` says it once', async () => {
    const { deps, attend, deliver, asked, waiting, logged } = await stage();
    await deps.pauses.pause(OF, BY);
    await deliver(OPENED);
    expect(await attend()).toEqual({ kind: 'done' });
    expect(await attend()).toEqual({ kind: 'done' });
    expect([asked, await deps.states.load(OF), await waiting()]).toEqual([[], null, [OPENED.id]]);
    expect(await deps.decisions.list(OF)).toMatchObject([
      { effect: 'nothing', reason: 'the project is paused by an operator: events wait until it is continued' },
    ]);
    expect(logged).toEqual(['decided']);
  });

  test('a delayed event waits, too, and another project does not', async () => {
    const { deps, attend, waiting } = await stage();
    await deps.pauses.pause({ ...OF, projectId: OF.projectId + 1 }, BY);
    await attend({ v: 1, kind: 'event', changeRequest: OF, event: OPENED });
    expect((await deps.states.load(OF))?.firstSeen?.head).toBe(HEAD);
    await deps.pauses.pause(OF, BY);
    await attend({ v: 1, kind: 'event', changeRequest: OF, event: { ...OPENED, id: 'later' } });
    expect(await waiting()).toEqual(['later']);
  });

  test('the newest head is reviewed once when it continues', async () => {
    const { deps, attend, deliver, waiting } = await stage();
    await deps.pauses.pause(OF, BY);
    for (const id of ['one', 'two', 'three']) {
      await deliver(make.forgeEvent('pushed', { id, head: make.sha(id) }));
      await attend();
    }
    await deps.pauses.end(OF);
    await wakeHeld({ ...deps, nowMs: deps.nowMs }, OF);
    await attend();
    await attend();
    const { running, runsUsed } = (await deps.states.load(OF)) ?? make.state();
    expect([running?.head, runsUsed, await waiting()]).toEqual([HEAD, 1, []]);
  });

  test('commands that a crash left undone wait, too', async () => {
    const { deps, attend, keep, asked } = await stage();
    const announce = { kind: 'announce' as const, run: make.run({ head: HEAD }), runsUsed: 1, supersededInRow: 0 };
    await keep(make.state({ running: announce.run, outbox: [announce] }));
    await deps.pauses.pause(OF, BY);
    await attend();
    expect([asked, (await deps.states.load(OF))?.outbox.length]).toEqual([[], 1]);
  });

  test('more events than one pass reads are all read in the end', async () => {
    const { deps, attend, deliver, waiting } = await stage();
    await deps.pauses.pause(OF, BY);
    for (let index = 0; index < 501; index += 1) await deliver(make.forgeEvent('metadata', { id: `event-${index}` }));
    await deps.pauses.end(OF);
    await attend();
    const [first, second] = await waiting();
    expect([first, second?.startsWith('slot-')]).toEqual(['event-500', true]);
  });
});
