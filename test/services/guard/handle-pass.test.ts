/** What one pass of guard reads, remembers and leaves alone, on a real Redis. */
import { EventEmitter } from 'node:events';
import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { GuardDeps, GuardForge } from '../../../services/guard/deps.ts';
import { createGuardHandler } from '../../../services/guard/handle.ts';
import { releaseSlot } from '../../../services/guard/wake.ts';
import { AnalyzerSettings, isFromCi } from '../../../shared/config/analyzer-settings.ts';
import type { ChangeRequestFacts, ForgeComment } from '../../../shared/forge/port-facts.ts';
import type { GuardJob } from '../../../shared/queue/contracts.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import { wakeHeld } from '../../../shared/queue/wake-held.ts';
import { createReadings } from '../../../shared/store/readings.ts';
import { ForgeId } from '../../../shared/vocabulary/ids.ts';
import { useRedis } from '../../support/use-redis.ts';
import * as make from '../../shared/rounds/builders.ts';
import { summaryBy } from '../../shared/rounds/two-runs-world.ts';
import { never } from '../../shared/workspace/repository.ts';
import { type CiJob, createModelForge, JOB } from './model-forge.ts';
import { createModelJobs } from './model-jobs.ts';
import { guardDeps } from './model-stage.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const OF = { ...make.changeRequest().changeRequest, forge: ForgeId.parse('main') };
const HEAD = make.sha('head');
const MARKER = summaryBy({ seed: 'run', attempt: 1, runs: 1 }, 'posted');
const SUMMARY = make.comment(`Reviewed.\n\n${signMarker(MARKER, make.SECRET)}`);
const OPENED = make.forgeEvent('opened', { head: HEAD });

/** What the forge says of the change request; null if it is gone. */
type Shown = Partial<ChangeRequestFacts> | null;

type Wish = {
  readonly facts?: Shown;
  readonly comments?: readonly ForgeComment[];
  readonly forge?: Partial<GuardForge>;
  readonly deps?: Partial<GuardDeps>;
  /** What the CI job that makes a report does. */
  readonly job?: CiJob;
  /** False: no poster has published the posting account. */
  readonly isKnown?: boolean;
};

const stage = async ({
  facts = {},
  comments = [],
  forge: moreOfForge = {},
  deps: more = {},
  isKnown = true,
  job = 'ended',
}: Wish = {}) => {
  const jobs = createModelJobs();
  const model = createModelForge(jobs.nowMs);
  model.setJob(job);
  const asked: string[] = [];
  const steps: string[] = [];
  const logged: string[] = [];
  const real = guardDeps({ redis, policy: make.policy(), jobs, forge: model, newRunId: () => make.runId('fresh') });
  const reading = (name: string): void => void asked.push(name);
  const forge: GuardForge = {
    ...model.guard,
    read: {
      ...model.guard.read,
      fetchChangeRequest: async () => {
        reading('change request');
        return facts === null ? null : make.changeRequest({ head: HEAD, ...facts });
      },
      fetchComments: async () => {
        reading('comments');
        return comments;
      },
      fetchStatuses: async () => {
        reading('statuses');
        return [];
      },
    },
    ...moreOfForge,
  };
  const deps: GuardDeps = {
    ...real,
    forges: new Map([['main', forge]]),
    checkpoint: (step) => void steps.push(step),
    ...more,
  };
  if (isKnown) await deps.identities.publish('main', { id: make.BOT_ID, login: 'fixpoint' });
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(String(JSON.parse(line).msg)) });
  const attend = async (job: GuardJob = { v: 1, kind: 'wake', changeRequest: OF }, by: GuardDeps = deps) => {
    // The handler only hands the library's job on.
    const unused = new EventEmitter() as unknown as Job;
    const sweep = async () => ({ kind: 'defer', delayMs: 77 }) as const;
    return createGuardHandler(by, sweep)(job, { signal: never(), log, job: unused, attempt: 1 });
  };
  const deliver = async (event: InboxEvent): Promise<void> => {
    await deps.inbox.deliver({ changeRequest: OF, event, dedupKey: event.id, deliveryId: null });
  };
  const keep = async (state: GuardState): Promise<void> => {
    const lease = { key: deps.keys.ofChangeRequest(OF, 'lock'), token: 'token', fence: 1 };
    await redis.set(lease.key, lease.token);
    await deps.states.save(OF, state, lease);
    await redis.del(lease.key);
  };
  const waiting = async () => (await deps.inbox.read(OF)).events.map(({ id }) => id);
  return { deps, asked, steps, logged, attend, deliver, keep, waiting };
};

describe('a job of guard', () => {
  test('of a sweep is handed to the sweep, and an event that was delayed goes into the inbox first', async () => {
    const { attend, asked, deps } = await stage();
    expect(await attend({ v: 1, kind: 'sweep' })).toEqual({ kind: 'defer', delayMs: 77 });
    expect(asked).toEqual([]);
    expect(await attend({ v: 1, kind: 'event', changeRequest: OF, event: OPENED })).toEqual({ kind: 'done' });
    expect((await deps.states.load(OF))?.firstSeen?.head).toBe(HEAD);
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

describe('a free slot that was offered', () => {
  const FULL = { ...OF, number: OF.number + 1 };
  const NEXT = { ...OF, number: OF.number + 2 };
  const ANALYZERS = AnalyzerSettings.parse([
    { name: 'sast', from: 'ci-artifact', job: JOB, artifact: 'report.sarif' },
  ]).filter(isFromCi);

  const RESTARTED = { name: JOB, id: 1, projectId: 1, createdAtMs: make.NOW, mergedWith: null };

  /** The change request waits first, and is offered the slot that the other one frees. */
  const offered = async (wish: Wish = {}) => {
    const made = await stage(wish);
    const { deps } = made;
    expect(await deps.slots.acquire(FULL, 1, 1)).toBe(true);
    expect(await deps.slots.acquire(OF, 1, 2)).toBe(false);
    expect(await deps.slots.acquire(NEXT, 1, 3)).toBe(false);
    await releaseSlot(deps, FULL);
    return made;
  };
  const wokenNext = async ({ inbox }: GuardDeps) => (await inbox.read(NEXT)).events.map(({ source }) => source);
  const waiting = async (deps: GuardDeps) =>
    redis.zrange(deps.keys.ofProject(OF.forge, OF.projectId, 'waiting'), '0', '-1');
  const WANTED = make.state({ wanted: make.at(HEAD), firstSeen: { head: HEAD, atMs: make.NOW } });

  test('is taken, and nobody else is woken', async () => {
    const { attend, deps, keep } = await offered();
    await keep(WANTED);
    await attend();
    expect(await deps.slots.running(OF.forge, OF.projectId)).toEqual([OF.number]);
    expect([await wokenNext(deps), await waiting(deps)]).toEqual([[], [`${NEXT.number}`]]);
  });

  test.each<[what: string, wish: Wish, state: GuardState]>([
    ['by a change request that was closed', { facts: { state: 'closed' } }, WANTED],
    ['by a change request without a head to review', {}, make.state({ reviewed: [make.at(HEAD)] })],
    ['by a review that now waits for a report of CI', { deps: { ciAnalyzers: ANALYZERS }, job: 'running' }, WANTED],
  ])('and is not taken %s is offered to the next one', async (_, wish, state) => {
    const { attend, deps, keep } = await offered(wish);
    await keep(state);
    await attend();
    expect(await deps.slots.running(OF.forge, OF.projectId)).toEqual([]);
    expect([await wokenNext(deps), await waiting(deps)]).toEqual([['wake'], [`${NEXT.number}`]]);
  });

  test('is given back by a review whose job starts again in the moment in which it gets the slot', async () => {
    const states = ['passed', 'open'] as const;
    let looks = 0;
    const jobNow = () => ({ ...RESTARTED, state: states[looks++] ?? 'open' });
    const ciReports = {
      fetchCiJobs: async () => ({ jobs: [jobNow()], hidden: false }),
      fetchArtifact: async () => ({ kind: 'absent' }) as const,
    };
    const { attend, deps, keep } = await offered({ deps: { ciAnalyzers: ANALYZERS }, forge: { ciReports } });
    await keep(WANTED);
    await attend();
    expect(await deps.slots.running(OF.forge, OF.projectId)).toEqual([]);
    expect(looks).toBe(2);
    expect(await deps.states.load(OF)).toMatchObject({ slotHeld: false, running: null, wanted: { head: HEAD } });
    expect(await wokenNext(deps)).toEqual(['wake']);
  });

  test('and was taken by somebody else in the meantime is waited for', async () => {
    const { attend, deps, keep } = await offered();
    await keep(WANTED);
    expect(await deps.slots.acquire({ ...OF, number: 99 }, 1, 5)).toBe(true);
    await attend();
    expect([await wokenNext(deps), (await waiting(deps)).toSorted()]).toEqual([
      [],
      [`${OF.number}`, `${NEXT.number}`].toSorted(),
    ]);
  });

  test('is offered again if guard ends before it has woken the next one', async () => {
    let ends = true;
    const { attend, deps, keep } = await offered({ facts: { state: 'closed' } });
    await keep(WANTED);
    const { notify } = deps.inbox;
    const doomed: GuardDeps = {
      ...deps,
      inbox: {
        ...deps.inbox,
        notify: async (of, ...asked) => {
          if (ends && of.number === NEXT.number) throw new Error('killed');
          return notify(of, ...asked);
        },
      },
    };
    await expect(attend(undefined, doomed)).rejects.toThrow('killed');
    ends = false;
    await attend(undefined, doomed);
    expect([await wokenNext(deps), await waiting(deps)]).toEqual([['wake'], [`${NEXT.number}`]]);
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
