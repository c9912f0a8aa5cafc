/** States of the page for its tests, with the texts of a hostile author. */
import type { KillState } from '../kill.ts';
import type { Step, StepThread } from '../step.ts';
import type { DemoState } from './demo-state.ts';

export const EVIL = '<img src=x onerror=alert(1)> [a](javascript:alert(1)) </main><script>alert(1)</script>';

export const thread = (changes: Partial<StepThread> = {}): StepThread => ({
  id: 'F-001',
  path: 'src/a.js',
  line: 2,
  severity: 'P1',
  rule: null,
  state: 'open',
  code: [
    { kind: 'removed', oldLine: 1, newLine: null, text: 'gone' },
    { kind: 'added', oldLine: null, newLine: 1, text: 'if (a < b) {}' },
  ],
  comments: [{ author: 'fixpoint', body: '**Claim** one' }],
  change: 'new',
  ...changes,
});

export const step = (changes: Partial<Step> = {}): Step => ({
  name: 'First review',
  what: 'It begins.',
  review: 1,
  head: '0123456789abcdef0123456789abcdef01234567',
  verdict: 'feedback',
  status: { state: 'failure', text: '1 problem' },
  summary: { body: '**1 problem**', change: 'new' },
  comments: [],
  threads: [thread()],
  spent: {
    turns: 1,
    modelCalls: 4,
    inputTokens: 20_000,
    outputTokens: 600,
    cachedTokens: 5_000,
    costUsd: 0.02,
    wallMs: 5,
  },
  seconds: 1.25,
  ...changes,
});

const second = step({
  name: 'Second',
  review: null,
  verdict: 'lgtm',
  status: { state: 'success', text: 'fine' },
  summary: { body: '**Fine**', change: 'changed' },
  spent: {
    turns: 2,
    modelCalls: 5,
    inputTokens: 30_000,
    outputTokens: 700,
    cachedTokens: 6_000,
    costUsd: 0.03,
    wallMs: 9,
  },
  threads: [
    thread({
      change: 'changed',
      state: 'resolved',
      comments: [
        { author: 'fixpoint', body: '**Claim** one' },
        { author: 'author', body: 'No.' },
      ],
    }),
    thread({ id: 'F-002', rule: 'js-eval', change: 'same' }),
  ],
  comments: [{ author: 'fixpoint', body: 'Notice', change: 'new' }],
});

export const state = (changes: Partial<DemoState> = {}): DemoState => ({
  title: 'Add discounts',
  forgeUrl: 'http://127.0.0.1:3000',
  change: { number: 1, url: 'http://127.0.0.1:3000/shop/pulls/1' },
  names: ['First review', 'Second'],
  steps: [step(), second],
  limitUsd: 0.5,
  posterPid: 4711,
  kill: null,
  killsLeft: 3,
  ...changes,
});

export const kill = (changes: Partial<KillState> = {}): KillState => ({
  attempt: 1,
  phase: 'killed',
  number: 2,
  url: 'http://127.0.0.1:3000/shop/pulls/2',
  events: [
    { seconds: 0.1, text: 'author opened change request 2' },
    { seconds: 1.5, text: 'kill -9 of the poster (process 4711)' },
  ],
  counts: [{ what: 'F-001 Claim', where: 'a.js:1', times: 1 }],
  atKill: 1,
  ...changes,
});

export const ended = kill({
  phase: 'done',
  events: [...kill().events, { seconds: 4, text: 'the review is complete' }],
  counts: [1, 2, 3, 4, 5, 6]
    .map((id) => ({ what: `F-00${id}`, where: 'a.js:1', times: 1 }))
    .concat([{ what: 'The summary', where: 'conversation', times: 1 }]),
});
