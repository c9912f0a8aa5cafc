import { describe, expect, test } from 'vitest';
import { hasLastWord, type LookInput, reasonToLook } from '../../../../services/guard/sweep/sweep-look.ts';
import { at, NOW, run, sha, state } from '../../../shared/rounds/builders.ts';

const HEAD = sha('head');
const OTHER = sha('other');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Looked at five minutes ago, an hour after its last change; guard is idle and has given no verdict. */
const input = (patch: Partial<LookInput> = {}, seen: Partial<LookInput['seen']> = {}): LookInput => ({
  seen: {
    number: 1,
    head: HEAD,
    target: 'main',
    mergeBase: sha('base'),
    compared: null,
    updatedAtMs: NOW - HOUR,
    seenAtMs: NOW,
    look: {
      head: HEAD,
      target: 'main',
      mergeBase: sha('base'),
      updatedAtMs: NOW - HOUR,
      atMs: NOW - 5 * MINUTE,
      sinceMs: NOW - 3 * HOUR,
    },
    ...seen,
  },
  state: state({}),
  waiting: 0,
  passStartedAtMs: NOW - 1_000,
  nowMs: NOW,
  ...patch,
});

const settled = state({ reviewed: [at(HEAD)] });
const heldByCi = state({ reviewed: [at(HEAD)], heldByCi: HEAD });
const heldBefore = state({ reviewed: [at(HEAD)], heldByCi: OTHER });
const lookAt = (atMs: number, updatedAtMs = NOW - HOUR) => ({
  look: { head: HEAD, target: 'main', mergeBase: sha('base'), updatedAtMs, atMs, sinceMs: atMs - 2 * HOUR },
});

describe('guard looks at an open change request', () => {
  test.each<[name: string, given: LookInput, looks: boolean]>([
    ['that it does not know', input({ state: null }), true],
    ['that was never looked at', input({}, { look: null }), true],
    ['that was never looked at, although it has a verdict', input({ state: settled }, { look: null }), true],
    ['that has not changed, without a verdict', input(), false],
    ['that has not changed, with a verdict', input({ state: settled }), false],
    ['whose CI may have been repaired', input({ state: heldByCi }, lookAt(NOW - 10 * MINUTE)), true],
    ['whose CI may have been repaired, less than ten minutes ago', input({ state: heldByCi }), false],
    ['whose older head was held back by CI', input({ state: heldBefore }, lookAt(NOW - 10 * MINUTE)), false],
    ['with a newer change', input({}, { updatedAtMs: NOW - MINUTE }), true],
    ['with a newer change and a verdict', input({ state: settled }, { updatedAtMs: NOW - MINUTE }), true],
    ['with an older date than before', input({}, { updatedAtMs: NOW - 2 * HOUR }), true],
    ['with a new head of the same date', input({ state: settled }, { head: OTHER }), true],
    ['whose inbox has lost its wake-up', input({ state: settled, waiting: 1 }), true],
    ['with commands left undone', input({ state: state({ outbox: [{ kind: 'release_slot' }] }) }), true],
    ['whose run has time left', input({ state: state({ running: run({ head: HEAD, deadlineMs: NOW + 1 }) }) }), false],
    ['whose run is overdue', input({ state: state({ running: run({ head: HEAD, deadlineMs: NOW }) }) }), true],
    ['whose quiet time lasts', input({ state: state({ quiet: { head: HEAD, untilMs: NOW + 1 } }) }), false],
    ['whose quiet time ends now', input({ state: state({ quiet: { head: HEAD, untilMs: NOW } }) }), false],
    ['whose quiet time is over', input({ state: state({ quiet: { head: HEAD, untilMs: NOW - 1_000 } }) }), true],
    [
      'whose CI job is looked at later',
      input({ state: state({ reportWait: { head: HEAD, untilMs: NOW + HOUR, nextLookMs: NOW } }) }),
      false,
    ],
    [
      'whose look at a CI job was lost',
      input({ state: state({ reportWait: { head: HEAD, untilMs: NOW + HOUR, nextLookMs: NOW - 1_000 } }) }),
      true,
    ],
    ['where others may join an answer', input({ state: state({ replyDebounce: { noteId: 4, untilMs: NOW } }) }), false],
    ['whose answers wait', input({ state: state({ replyDebounce: { noteId: 4, untilMs: NOW - 1_000 } }) }), true],
    [
      'whose answers were answered',
      input({ state: state({ replyDebounce: { noteId: 4, untilMs: Number.MAX_SAFE_INTEGER } }) }),
      false,
    ],
    ['that waits for a slot', input({ state: state({ wanted: at(HEAD) }) }), false],
    ['without a verdict, an hour after the last look', input({}, lookAt(NOW - HOUR, NOW - 2 * HOUR)), true],
    ['the same a moment earlier', input({}, { ...lookAt(NOW - HOUR + 1), updatedAtMs: NOW - HOUR }), true],
    [
      'without a verdict, just less than an hour after the last look',
      input({}, { updatedAtMs: NOW - 2 * HOUR, ...lookAt(NOW - HOUR + 1, NOW - 2 * HOUR) }),
      false,
    ],
    [
      'with a verdict, hours after the last look',
      input({ state: settled }, { updatedAtMs: NOW - 9 * HOUR, ...lookAt(NOW - 8 * HOUR, NOW - 9 * HOUR) }),
      true,
    ],
    [
      'that changed in the very second of the last look',
      input({ state: settled }, { updatedAtMs: NOW - 5 * MINUTE, ...lookAt(NOW - 5 * MINUTE, NOW - 5 * MINUTE) }),
      true,
    ],
    [
      'that changed well before the last look',
      input(
        { state: settled },
        { updatedAtMs: NOW - 5 * MINUTE - 5_000, ...lookAt(NOW - 5 * MINUTE, NOW - 5 * MINUTE - 5_000) },
      ),
      false,
    ],
    [
      'without a verdict and without a change, an hour after the last look',
      input({}, { updatedAtMs: NOW - 2 * HOUR, ...lookAt(NOW - HOUR, NOW - 2 * HOUR) }),
      true,
    ],
    [
      'whose verdict is about another target branch, an hour after the last look',
      input(
        { state: state({ reviewed: [at(HEAD, { target: 'next' })] }) },
        { updatedAtMs: NOW - 2 * HOUR, ...lookAt(NOW - HOUR + 1, NOW - 2 * HOUR) },
      ),
      false,
    ],
    ['whose target branch was reset', input({ state: settled }, { mergeBase: sha('older base') }), true],
    ['whose target branch is another one', input({ state: settled }, { target: 'next' }), true],
    ['that had its look in this pass', input({ state: null, waiting: 3 }, lookAt(NOW - 1_000)), false],
  ])('%s', (_, given, looks) => {
    expect(reasonToLook(given) !== null).toBe(looks);
  });
});

test.each([
  ['of this head and target branch', {}, {}, true],
  ['of another head', { head: OTHER }, {}, false],
  ['of another target branch', { target: 'next' }, {}, false],
  ['of a merge base that is another by now', { base: sha('older base') }, {}, true],
] as const)('the last word %s counts', (_what, known, seen, expected) => {
  const entry = at(HEAD, known);
  for (const words of [{ reviewed: [entry] }, { closed: [entry] }])
    expect(hasLastWord(state(words), { ...input().seen, ...seen })).toBe(expected);
});
