import { describe, expect, it } from 'vitest';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import type { MarkerPayload } from '../../../shared/rounds/model/marker-payload.ts';
import { entry, finding, summary } from '../../shared/text/marker-fixture.ts';
import type { DemoSight } from './forge.ts';
import { type Step, type StepSource, takeStep } from './step.ts';

const SECRET = 'a'.repeat(40);
const signed = (text: string, payload: MarkerPayload): string => `${text}\n\n${signMarker(payload, SECRET)}`;

const DIFF = 'diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -1 +1,2 @@\n one\n+two\n';

const first = {
  author: 'fixpoint',
  path: 'a.js',
  line: 2,
  side: 'new',
  resolved: false,
  body: signed('Claim', finding),
} as const;
const sum = { author: 'fixpoint', body: signed('Sum', { ...summary, verdict: 'feedback' }) };

const SIGHT: DemoSight = {
  head: 'c'.repeat(40),
  comments: [{ author: 'fixpoint', body: '' }, sum],
  inline: [first],
  unpublished: [],
  headStatuses: { fixpoint: 'failure', ci: 'success' },
  statusText: 'one problem',
};

const about = { name: 'One', what: 'What', review: 1, seconds: 2 };

const take = (sight: Partial<DemoSight>, more: Partial<StepSource> = {}): Step =>
  takeStep({ about, sight: { ...SIGHT, ...sight }, diff: DIFF, markerSecret: SECRET, before: null, ...more });

const one = take({});

describe('a step', () => {
  it('has the texts without markers, the verdict, the status and the cost', () => {
    expect(one).toEqual({
      ...about,
      head: 'c'.repeat(40),
      verdict: 'feedback',
      status: { state: 'failure', text: 'one problem' },
      summary: { body: 'Sum', change: 'new' },
      comments: [],
      threads: [
        {
          id: 'F-001',
          path: 'a.js',
          line: 2,
          severity: 'P0',
          rule: null,
          state: 'open',
          code: [
            { kind: 'context', oldLine: 1, newLine: 1, text: 'one' },
            { kind: 'added', oldLine: null, newLine: 2, text: 'two' },
          ],
          comments: [{ author: 'fixpoint', body: 'Claim' }],
          change: 'new',
        },
      ],
      spent: summary.spent,
    });
  });

  it('says of each text whether it changed since the step before', () => {
    const answer = { ...first, author: 'author', body: 'No.' };
    const talk = { author: 'fixpoint', body: 'Notice' };
    const before = take({ comments: [sum, talk] });
    const changeIn = (sight: Partial<DemoSight>) => {
      const { summary: edited, comments, threads } = take(sight, { before });
      return [edited.change, comments.map(({ change }) => change), threads.map(({ change }) => change)];
    };
    const edited = { ...sum, body: signed('Sum 2', summary) };
    expect(changeIn({ comments: [sum, talk] })).toEqual(['same', ['same'], ['same']]);
    expect(changeIn({ comments: [edited, talk, { ...talk, author: 'author' }] })).toEqual([
      'changed',
      ['same', 'new'],
      ['same'],
    ]);
    expect(changeIn({ comments: [sum, talk], inline: [first, answer] })).toEqual(['same', ['same'], ['changed']]);
  });

  it('takes the state of a thread from the ledger, and counts another state as a change', () => {
    const vetoed = signed('Sum', { ...summary, ledger: [entry({ state: 'vetoed' })] });
    const after = take({ comments: [{ ...sum, body: vetoed }] }, { before: one });
    expect(after.threads.map(({ state, change }) => [state, change])).toEqual([['vetoed', 'changed']]);
    expect(after.summary.change).toBe('same');
  });

  it('keeps the code as it was when the thread was opened', () => {
    const later = take({}, { before: one, diff: '' });
    expect(later.threads[0]?.code).toEqual(one.threads[0]?.code);
  });

  it('takes no text of a person for one of the bot', () => {
    const forged = take({
      comments: [{ author: 'author', body: signMarkerWith('b') }],
      inline: [{ ...first, body: 'Claim' }],
    });
    expect([forged.verdict, forged.threads, forged.summary.body]).toEqual(['none', [], '']);
  });
});

const signMarkerWith = (letter: string): string => signMarker(summary, letter.repeat(40));
