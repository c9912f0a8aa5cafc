import { describe, expect, test } from 'vitest';
import { beginLook, isReportedBy, readOnce } from '../../../services/guard/one-reading.ts';
import type { GuardForge } from '../../../services/guard/deps.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import { buildCapPlan } from '../../../shared/rounds/plan/cap-plan.ts';
import { inputOf } from '../../../shared/rounds/model/input.ts';
import type { Look } from '../../../shared/store/readings.ts';
import { changeRequest, comment, history, policy, runId } from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';

const facts = changeRequest();
const of = facts.changeRequest;
const other = { ...of, number: of.number + 1 };

/** Counts the looks; what guard does not ask here fails. */
const countingForge = () => {
  const looks: string[] = [];
  const read = {
    fetchChangeRequest: async (asked: typeof of) => {
      looks.push(`facts ${asked.number}`);
      return facts;
    },
    fetchComments: async (asked: typeof of) => {
      looks.push(`comments ${asked.number}`);
      return [comment('said')];
    },
    // Only the two above are asked in this file.
  } as unknown as GuardForge['read'];
  return { looks, read };
};

const posted = (planId: string): InboxEvent => ({
  source: 'post',
  id: `posted-${planId}`,
  atMs: 0,
  runId: runId('r'),
  planId,
  outcome: 'posted',
  code: null,
});
const woken: InboxEvent = { source: 'wake', id: 'w', atMs: 0 };

describe('one reading', () => {
  test('F-R13: looks once at its own change request, and anew at every other', async () => {
    const { looks, read } = countingForge();
    const once = readOnce(read, of, null);
    for (const asked of [of, of, other, other]) {
      await once.fetchChangeRequest(asked, never());
      await once.fetchComments(asked, never());
    }
    const twice = ['facts', 'comments', 'facts', 'comments'].map((what) => `${what} ${other.number}`);
    expect(looks).toEqual([`facts ${of.number}`, `comments ${of.number}`, ...twice]);
  });

  test('F-R13: does not look at all where the poster has just looked', async () => {
    const { looks, read } = countingForge();
    const once = readOnce(read, of, { planId: 'p', facts, comments: [] });
    expect(await once.fetchChangeRequest(of, never())).toEqual(facts);
    expect(await once.fetchComments(of, never())).toEqual([]);
    expect(looks).toEqual([]);
  });

  test('F-R13: hands what it has read to whoever posts its plan, but for plans without comments', async () => {
    const { looks, read } = countingForge();
    const handed: unknown[] = [];
    const readings = {
      beginLook: async () => 'look' as Look,
      handLook: async (_: unknown, ...rest: readonly unknown[]) => void handed.push(rest),
    };
    const once = readOnce(read, of, null);
    const hand = await beginLook(readings, of);
    const context = { facts, history: history(), policy: policy() };
    const input = inputOf(facts);
    await hand(once, buildAcknowledgePlan(context, { input, noteId: null, noticeId: runId('n') }), never());
    expect(handed).toEqual([]);
    const plan = buildCapPlan(context, { input, cap: 'runs', noticeId: runId('n') });
    await hand(once, plan, never());
    expect(handed).toEqual([['look', { planId: plan.planId, facts, comments: await once.fetchComments(of, never()) }]]);
    expect(looks).toEqual([`facts ${of.number}`, `comments ${of.number}`]);
  });

  test('F-R13: hands nothing over of a change request that is gone', async () => {
    const handed: unknown[] = [];
    const handLook = async (...all: readonly unknown[]) => void handed.push(all);
    const hand = await beginLook({ beginLook: async () => 'look' as Look, handLook }, of);
    const { read } = countingForge();
    const gone = { ...read, fetchChangeRequest: async () => null };
    const context = { facts, history: history(), policy: policy() };
    await hand(gone, buildCapPlan(context, { input: inputOf(facts), cap: 'runs', noticeId: runId('n') }), never());
    expect(handed).toEqual([]);
  });

  test.each([
    ['the report of that plan', [posted('p')], true],
    ['reports of it and of an earlier plan', [posted('o'), posted('p')], true],
    ['the report of another plan', [posted('o')], false],
    ['another event beside it', [posted('p'), woken], false],
    ['no event', [], false],
  ] as const)('F-R13: serves %s: %j', (_, events, serves) => {
    expect(isReportedBy(events, { planId: 'p' })).toBe(serves);
  });
});
