/** What people, bots, webhooks and machines do to the model, each as one command of fast-check. */
import fc from 'fast-check';
import type { ForgeEvent, InboxEvent } from '../../../shared/rounds/model/events.ts';
import * as make from '../../shared/rounds/builders.ts';
import { type CiJob, PERSON, STRANGE_BOT } from './model-forge.ts';
import type { ModelStage, Mood } from './model-stage.ts';

/** What was asked in words: each may be answered once. */
export type Model = { orders: number; heads: number };

export type Real = {
  readonly stage: ModelStage;
  readonly sent: InboxEvent[];
  /** Webhooks that are still under way. */
  readonly held: InboxEvent[];
  readonly draw: () => number;
};

export type Deed = fc.AsyncCommand<Model, Real>;

const deed = (name: string, run: (real: Real, model: Model) => Promise<void>): Deed => ({
  check: () => true,
  run: async (model, real) => run(real, model),
  toString: () => name,
});

/** Every third webhook overtakes others or is overtaken. */
const send = async ({ stage, sent, held, draw }: Real, event: InboxEvent): Promise<void> => {
  sent.push(event);
  if (draw() % 3 === 0) held.push(event);
  else await stage.deliver(event);
};

const eventOf = ({ stage, sent }: Real, kind: ForgeEvent['kind'], patch: Partial<ForgeEvent> = {}): InboxEvent =>
  make.forgeEvent(kind, { id: `e${sent.length}`, head: stage.forge.facts().head, atMs: stage.nowMs(), ...patch });

const say = async (real: Real, body: string, by = PERSON, threadId: string | null = null): Promise<void> => {
  const noteId = real.stage.forge.say(by, body, threadId);
  await send(real, eventOf(real, 'comment', { noteId, actorId: by.id }));
};

const threadsOf = ({ stage }: Real): readonly string[] => [
  ...new Set(stage.forge.comments().flatMap(({ threadId }) => (threadId === null ? [] : [threadId]))),
];

const push = (draw: number): Deed =>
  deed(`pushes ${draw}`, async (real, model) => {
    // Sometimes the branch is put back.
    const number = draw % 4 === 0 ? draw % (model.heads + 1) : model.heads + 1;
    model.heads = Math.max(model.heads, number);
    real.stage.forge.push(make.sha(`head ${number}`));
    await send(real, eventOf(real, 'pushed'));
  });

const order = (body: string): Deed =>
  deed(`says ${body}`, async (real, model) => {
    model.orders += 1;
    await say(real, `@fixpoint ${body}`);
  });

const answer = (draw: number): Deed =>
  deed(`answers ${draw}`, async (real) => {
    const threads = threadsOf(real);
    const thread = threads[draw % Math.max(1, threads.length)];
    if (thread !== undefined) await say(real, 'I see it in another way.', PERSON, thread);
  });

const toggle = (draw: number): Deed =>
  deed(`resolves or reopens ${draw}`, async (real) => {
    const threads = threadsOf(real);
    const thread = threads[draw % Math.max(1, threads.length)];
    if (thread !== undefined) real.stage.forge.toggle(thread);
    await send(real, eventOf(real, 'metadata'));
  });

const closing = deed('closes or reopens it', async (real) => {
  const isOpen = real.stage.forge.facts().state === 'open';
  real.stage.forge.setOpen(!isOpen);
  await send(real, eventOf(real, isOpen ? 'closed' : 'reopened'));
});

const botEcho = (kind: ForgeEvent['kind'], actorId: number): Deed =>
  deed(`${kind} by bot ${actorId}`, async (real) => {
    if (actorId === STRANGE_BOT.id) return say(real, '@fixpoint review --full', STRANGE_BOT);
    const noteId = real.stage.forge.comments().at(-1)?.id;
    await send(real, eventOf(real, kind, { actorId, noteId: noteId === undefined ? null : Number(noteId) }));
  });

/** A replay after a day: no longer known by its meaning. */
const repeat = (draw: number): Deed =>
  deed(`a webhook comes again ${draw}`, async ({ stage, sent }) => {
    const old = sent[draw % Math.max(1, sent.length)];
    if (old !== undefined) await stage.deliver(old, draw % 2 === 0 ? old.id : `${old.id} again ${draw}`);
  });

/** The one that was sent last first. */
export const land = async ({ stage, held }: Real): Promise<void> => {
  for (const late of held.splice(0).toReversed()) await stage.deliver(late);
};

const sweep = deed('a sweep', async ({ stage }) => sweepOver(stage));

export const sweepOver = async (stage: ModelStage): Promise<void> => {
  const { head, state } = stage.forge.facts();
  const id = `sweep-${stage.nowMs()}-${head}`;
  if (state === 'open') await stage.deliver({ source: 'sweep', id, atMs: stage.nowMs(), head });
};

const jobs = (job: CiJob): Deed => deed(`the CI job is ${job}`, async ({ stage }) => stage.forge.setJob(job));

const moods = (mood: Mood): Deed =>
  deed(`reviews are ${JSON.stringify(mood)}`, async ({ stage }) => stage.setMood(mood));

const works = (jobs: number): Deed =>
  deed(`${jobs} jobs`, async ({ stage, draw }) => {
    await stage.run(jobs, draw);
  });

const ORDERS = [
  'review',
  'review --full',
  'pause',
  'resume',
  'status',
  'why',
  'help',
  'explain F-001',
  'dismiss F-001 because of that',
];

const number = fc.nat(10_000);
const mood = fc.oneof(
  number.map((draw): Mood => ({ kind: 'draft', draw })),
  fc.constantFrom<Mood>({ kind: 'failed' }, { kind: 'superseded' }, { kind: 'lost' }),
);

export const DEEDS: fc.Arbitrary<Deed>[] = [
  ...[1, 2, 3, 4].map(() => number.map(push)),
  fc.constantFrom(...ORDERS).map(order),
  number.map(answer),
  number.map(toggle),
  fc.constant(closing),
  fc
    .constantFrom<ForgeEvent['kind']>('comment', 'human_review', 'reaction', 'review_requested')
    .map((kind) => botEcho(kind, make.BOT_ID)),
  fc.constant(botEcho('comment', STRANGE_BOT.id)),
  number.map(repeat),
  fc.constant(deed('late webhooks come', land)),
  fc.constantFrom<CiJob>('running', 'restarting', 'ended').map(jobs),
  fc.constant(sweep),
  mood.map(moods),
  mood.map(moods),
  fc.integer({ min: 1, max: 20 }).map(works),
  ...[1, 2, 3, 4].map(() => fc.integer({ min: 10, max: 150 }).map(works)),
  fc.constant(deed('everything restarts', async ({ stage }) => stage.restart())),
  fc.constant(deed('Redis forgets', async ({ stage }) => stage.flush())),
  fc
    .integer({ min: 1, max: 3 })
    .map((calls) => deed(`the forge fails ${calls} times`, async ({ stage }) => stage.forge.fail(calls))),
];
