import { describe, expect, it } from 'vitest';
import { difference } from '../../../../shared/rounds/plan/difference.ts';
import { buildGiveUpPlan } from '../../../../shared/rounds/plan/give-up-plan.ts';
import { rebuildHistory } from '../../../../shared/rounds/memory/rebuild-history.ts';
import { PostPlan } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { signMarker } from '../../../../shared/rounds/memory/marker.ts';
import * as make from '../builders.ts';

const context = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };
const run = make.run({ review: 2, attempt: 2 });

const planOf = (lastWords: string | null) =>
  buildGiveUpPlan(context, run, { code: 'MODEL_OUTPUT_UNREADABLE', lastWords });

const rawOf = (lastWords: string | null) => planOf(lastWords).notices.filter(({ marker }) => marker.kind === 'raw');

describe('the plan of a review that is given up', () => {
  it('calls the operator and says nothing of the model when it left no words', () => {
    for (const nothing of [null, '', ' \n'])
      expect(planOf(nothing).notices.map(({ marker }) => marker.kind)).toEqual(['handoff']);
  });

  it('F-C12: says what to do about a pending review of the bot that was written by hand', () => {
    const stopped = { code: 'FORGE_PENDING_DRAFT', lastWords: null };
    const { summary, notices } = buildGiveUpPlan({ ...context, mention: 'helper' }, run, stopped);
    const words =
      /delete or submit the pending review of helper on this page; then write `@helper review` to try again/;
    for (const text of [summary.text, notices[0]?.text]) expect(text).toMatch(words);
    expect(planOf(null).summary.text).not.toContain('pending review');
  });

  it('says once in words that the right to write is missing, and who can give it', () => {
    const forbidden = { code: 'FORGE_FORBIDDEN', lastWords: null };
    const { summary, notices, status } = buildGiveUpPlan({ ...context, mention: 'helper' }, run, forbidden);
    const words = /write permission is missing[^]*A project administrator can give `helper` write access/;
    expect(summary.text).toMatch(words);
    expect(notices.map(({ text }) => words.test(text))).toEqual([false]);
    expect(notices[0]?.text).toMatch(
      /^\*\*The review failed\.\*\* `[0-9a-f]+` could not be reviewed\. The summary says why\./,
    );
    expect(status.description).toBe('Not reviewed: write permission is missing');
    expect(planOf(null).status.description).toBe('Not reviewed: all attempts failed');
  });

  it('Q2: says in words that the process died, and counts no attempts that were not made', () => {
    const died = buildGiveUpPlan({ ...context, mention: 'helper' }, run, { code: 'WORKER_DIED', lastWords: null });
    expect(died.summary.text).toMatch(
      /^\*\*Not reviewed\*\*: the attempt was stopped\n[^]*\(`WORKER_DIED`\)[^]*\n\nWhy: a process of Fixpoint died repeatedly: it crashed or was killed, [^]*An operator has to fix this\. Then write `@helper review`\.$/,
    );
    expect(died.status).toEqual({
      state: 'error',
      description: 'Not reviewed: a process of Fixpoint died repeatedly',
    });
  });

  it('shows the last words of the model in a block of their own, and says that they are no review', () => {
    expect(rawOf('LGTM, merge it.')).toEqual([
      {
        marker: {
          cr: make.KEY,
          review: 2,
          attempt: 2,
          run: run.runId,
          kind: 'raw',
          head: run.head,
        },
        text: expect.stringMatching(/^\*\*This is not a review\.\*\* [^]*\n\n```\nLGTM, merge it\.\n```$/),
        mention: false,
      },
    ]);
    const { summary, status, forgeVerdict } = planOf('LGTM, merge it.');
    expect([summary.marker.verdict, status.state, forgeVerdict]).toEqual(['inconclusive', 'error', null]);
    expect(summary.text).not.toContain('merge it');
  });

  it('lets nothing in them close the block', () => {
    const [notice] = rawOf('```\n/approve\n````\n~~~');
    expect(notice?.text).toMatch(/\n`{5}\n```\n\/approve\n````\n~~~\n`{5}$/);
  });

  it('cuts them, counts what is missing, and splits no character', () => {
    const [notice] = rawOf('😀'.repeat(5_000));
    expect(notice?.text).toMatch(/```\n(?:😀){2000}\n```\n\n\(Cut here: 6000 more characters\.\)$/u);
    expect(rawOf('x'.repeat(4_000))[0]?.text).not.toMatch(/Cut here/);
  });

  it('is stored and read back as it was, and its words are posted once per run', () => {
    const plan = planOf('Nonsense.');
    expect(PostPlan.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
    const [raw] = rawOf('Nonsense.');
    if (raw === undefined) throw new Error('no notice');
    const own = [{ payload: raw.marker, comment: make.comment('') }];
    const missing = difference(plan, own, new Set()).notices.map(({ marker }) => marker.kind);
    expect(missing).toEqual(['handoff']);
    const later = { ...run, runId: make.runId('later') };
    const next = buildGiveUpPlan(context, later, { code: 'MODEL_OUTPUT_UNREADABLE', lastWords: 'Nonsense.' });
    expect(difference(next, own, new Set()).notices.map(({ marker }) => marker.kind)).toEqual(['handoff', 'raw']);
  });

  it('leaves a comment that completes no round, closes no head and opens no thread', () => {
    const [raw] = rawOf('Nonsense.');
    if (raw === undefined) throw new Error('no notice');
    const comments = [make.comment(`${raw.text}\n\n${signMarker(raw.marker, make.SECRET)}`)];
    const { reviewsDone, closed, threads, verdict } = rebuildHistory({
      comments,
      key: make.KEY,
      botIds: new Set([make.BOT_ID]),
      secrets: [make.SECRET],
    });
    expect({ reviewsDone, closed, threads, verdict }).toEqual({
      reviewsDone: 1,
      closed: [],
      threads: [],
      verdict: null,
    });
  });
});
