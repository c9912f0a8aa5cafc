/** What the poster looks at again, and what it takes back, over a forge in memory. */
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { makeTrue, post } from '../../../services/poster/post.ts';
import type { ForgeComment } from '../../../shared/forge/port-facts.ts';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import { buildCapPlan } from '../../../shared/rounds/plan/cap-plan.ts';
import { inputOf } from '../../../shared/rounds/model/input.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import type { HandedReading } from '../../../shared/store/readings.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import * as make from '../../shared/rounds/builders.ts';
import { finding as findingMarker } from '../../shared/text/marker-fixture.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createFakeForge } from './fake-forge.ts';
import { EMPTY_LIST } from './free-place.ts';
import { posterDeps } from './poster-deps.ts';

const context = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };
const input = inputOf(context.facts);
const capPlan = buildCapPlan(context, { input, cap: 'runs', noticeId: make.runId('n') });
const emptyPlan = buildAcknowledgePlan(context, { input, noteId: null, noticeId: make.runId('n') });

const stage = (plan: PostPlan, before: readonly ForgeComment[] = [], look: HandedReading | null = null) => {
  const comments = [...before];
  const done: string[] = [];
  const targets: (string | null)[] = [];
  const asked: string[] = [];
  let facts = context.facts;
  const { forge } = createFakeForge();
  const deps = posterDeps({
    loadPlan: async () => plan,
    readings: {
      hand: async () => void asked.push('hand'),
      drop: async () => void asked.push('drop'),
      takeLook: async () => look,
    },
  });
  const read = {
    ...forge.read,
    fetchChangeRequest: async () => facts,
    fetchComments: async () => {
      asked.push('read');
      return [...comments];
    },
    fetchStatuses: async () => [],
    readOpenPage: async () => EMPTY_LIST,
  };
  const write = {
    ...forge.write,
    clearLeftovers: async () => 0,
    createComment: async (_of: unknown, body: string) => {
      comments.push(make.comment(body, { webUrl: `http://forge.example/5#issuecomment-${comments.length + 1}` }));
      done.push('comment');
      asked.push('write');
      onWrite();
    },
    writeStatus: async (_of: unknown, { targetUrl }: { readonly targetUrl: string | null }) => {
      targets.push(targetUrl);
      done.push('status');
      return null;
    },
    editComment: async (_of: unknown, { id }: ForgeComment) => {
      // Without its marker it is no double any more.
      const index = comments.findIndex((each) => each.id === id);
      const old = comments[index];
      if (old !== undefined) comments[index] = { ...old, body: 'said twice' };
      done.push(`edit ${id}`);
    },
    deleteComment: async (_of: unknown, { id }: ForgeComment) => {
      comments.splice(
        comments.findIndex((each) => each.id === id),
        1,
      );
      done.push(`delete ${id}`);
    },
  };
  let onWrite = (): void => {};
  return {
    done,
    targets,
    asked,
    posting: { deps, forge: { ...forge, read, write }, plan, log: pino({ level: 'silent' }), signal: never() },
    pushAfterTheFirstWrite: () => {
      onWrite = () => {
        facts = make.changeRequest({ head: make.sha('pushed meanwhile') });
      };
    },
  };
};

describe('a plan whose head moves while its comments are written', () => {
  test('is posted with its status where nothing moves', async () => {
    const { posting, done } = stage(capPlan);
    expect(await post(posting)).toBe('posted');
    expect(done.at(-1)).toBe('status');
  });

  test('has a status that leads to its summary', async () => {
    const { posting, targets } = stage(capPlan);
    await post(posting);
    expect(targets).toEqual(['http://forge.example/5#issuecomment-1']);
    const pending = stage({ ...capPlan, status: { state: 'pending', description: 'Waiting' } });
    await post(pending.posting);
    expect(pending.targets).toEqual([null]);
  });

  test('F-T2: gets neither a verdict nor a status', async () => {
    const { posting, done, pushAfterTheFirstWrite } = stage(capPlan);
    pushAfterTheFirstWrite();
    expect(await post(posting)).toBe('head_moved');
    expect(done.filter((what) => what !== 'comment')).toEqual([]);
  });
});

describe('what guard read when it made the plan', () => {
  const looked = (facts = context.facts): HandedReading => ({ planId: capPlan.planId, facts, comments: [] });
  const writes = Array.from({ length: 2 }, () => 'write');

  test('F-R13: is written by, and read back; what was read before and within the writing is thrown away', async () => {
    const { posting, asked } = stage(capPlan, [], looked());
    await post(posting);
    expect(asked).toEqual(['drop', ...writes, 'read', 'drop', 'hand']);
  });

  test('F-R13: is read again when the forge says that something has changed since', async () => {
    const since = { ...context.facts, updatedAtMs: context.facts.updatedAtMs - 1000 };
    const { posting, asked } = stage(capPlan, [], looked(since));
    await post(posting);
    expect(asked).toEqual(['drop', 'read', ...writes, 'read', 'drop', 'hand']);
  });

  test('F-R13: is not handed back when nothing had to be written', async () => {
    const { posting, asked } = stage(emptyPlan, [], looked());
    await post(posting);
    expect(asked).toEqual(['drop', 'drop']);
  });
});

describe('a comment that stands twice', () => {
  const said = (id: string, threadId: string): ForgeComment =>
    make.comment(`A finding.\n\n${signMarker({ ...findingMarker, cr: make.KEY }, make.SECRET)}`, {
      id,
      threadId,
      kind: 'inline',
      createdAtMs: Number(id),
    });
  const answer = make.comment('I disagree.', { id: '30', threadId: 't2', author: { id: 7, login: 'author' } });

  test('goes when nobody has answered it', async () => {
    const { posting, done } = stage(emptyPlan, [said('10', 't1'), said('20', 't2')]);
    await makeTrue(posting, context.facts);
    expect(done).toEqual(['delete 20']);
  });

  test('F-T5: stays, with a word, when somebody has answered it', async () => {
    const { posting, done } = stage(emptyPlan, [said('10', 't1'), said('20', 't2'), answer]);
    await makeTrue(posting, context.facts);
    expect(done).toEqual(['edit 20']);
  });
});
