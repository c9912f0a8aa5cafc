/**
 * What the author declines is weighed, and resolves nothing by itself. Its thread is open, settled or closed like any
 * other; what a reviewer raises again there is judged by that, so no state of its own is needed for it.
 */
import { describe, expect, it } from 'vitest';
import { gate } from '../../../shared/rounds/gate/gate.ts';
import { rebuildHistory } from '../../../shared/rounds/memory/rebuild-history.ts';
import { judgeReview } from '../../../shared/rounds/gate/verdict.ts';
import type { Severity, ThreadAnswer } from '../../../shared/vocabulary/finding.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import type { MarkerPayload } from '../../../shared/rounds/model/marker-payload.ts';
import * as make from './builders.ts';

const at = { cr: make.KEY, review: 1, attempt: 1, run: make.runId('run') } as const;
const claim = make.thread();
const of = { id: claim.id, fp: claim.fingerprint, head: make.sha('head') } as const;

const raised = (severity: Severity): MarkerPayload => ({
  ...at,
  ...of,
  kind: 'finding',
  count: 0,
  stance: 'seeks_change',
  severity,
  blocking: severity === 'P0' || severity === 'P1',
  state: 'open',
  base: make.sha('base'),
  path: claim.place.path,
  side: claim.place.side,
  startLine: claim.place.startLine,
  line: claim.place.line,
  title: claim.title,
  rule: null,
  patch: null,
});

const declined: MarkerPayload = { ...at, ...of, kind: 'decline' };

const after = (severity: Severity, action: 'veto' | 'escalate' | null): readonly MarkerPayload[] => [
  raised(severity),
  declined,
  ...(action === null
    ? []
    : [{ ...at, ...of, review: 2, kind: 'reply', action, count: 1, stance: 'seeks_change', severity } as const]),
];

const historyAfter = (markers: readonly MarkerPayload[]) =>
  rebuildHistory({
    comments: markers.map((marker) => make.comment(signMarker(marker, make.SECRET))),
    key: make.KEY,
    botIds: new Set([make.BOT_ID]),
    secrets: [make.SECRET],
  });

const REPLY: ThreadAnswer = {
  findingId: claim.id,
  stance: 'seeks_change',
  action: 'reply',
  severity: null,
  body: 'It still matters.',
};

/** The reviewer claims the same again in round 3. */
const raiseAgain = (severity: Severity, action: 'veto' | 'escalate' | null) => {
  const history = historyAfter(after(severity, action));
  const answers = action === null ? [REPLY] : [];
  const again = make.finding({}, { severity });
  const draft = make.draft({ review: 3, findings: [again], answers });
  const gated = gate(draft, history, make.policy({}, { max: 9, threadCount: 4 }));
  const { coverage } = draft;
  const { verdict } = judgeReview({ coverage, gated, currentHead: true, ledgerFull: false, exceeded: null });
  const { accepted, dropped, raisedAgain, violations } = gated;
  return { new: accepted.length, dropped: dropped.map(({ reason }) => reason), raisedAgain, violations, verdict };
};

describe('a finding that its author has declined', () => {
  it.each(['P0', 'P1', 'P2', 'P3'] as const)('stays an open thread: a decline is no resolution (%s)', (severity) => {
    const [thread] = historyAfter([raised(severity), declined]).threads;
    expect(thread).toMatchObject({ state: 'open', severity, count: 0 });
  });

  const nothing = { new: 0, raisedAgain: [], violations: [] };
  it.each<[Severity, 'veto' | 'escalate' | null, Partial<ReturnType<typeof raiseAgain>>]>([
    ['P0', null, { dropped: ['repeats an open thread'], verdict: 'feedback' }],
    ['P1', null, { dropped: ['repeats an open thread'], verdict: 'feedback' }],
    ['P2', null, { dropped: ['repeats an open thread'], verdict: 'lgtm' }],
    ['P3', null, { dropped: ['repeats an open thread'], verdict: 'lgtm' }],
    ['P0', 'veto', { dropped: [], raisedAgain: [claim.id], verdict: 'feedback' }],
    ['P1', 'veto', { dropped: [], raisedAgain: [claim.id], verdict: 'feedback' }],
    ['P1', 'escalate', { dropped: [], raisedAgain: [claim.id], verdict: 'feedback' }],
    ['P2', 'veto', { dropped: ['repeats a closed finding'], verdict: 'lgtm' }],
    ['P3', 'veto', { dropped: ['repeats a closed finding'], verdict: 'lgtm' }],
  ])(
    'F5, F18: raised again as %s after %s makes no new thread, and blocks on as before',
    (severity, action, result) => {
      expect(raiseAgain(severity, action)).toEqual({ ...nothing, ...result });
    },
  );
});
