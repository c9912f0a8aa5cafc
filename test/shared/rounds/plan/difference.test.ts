import { describe, expect, it } from 'vitest';
import { buildAcknowledgePlan } from '../../../../shared/rounds/plan/acknowledge-plan.ts';
import { inputOf } from '../../../../shared/rounds/model/input.ts';
import { difference, postingKey } from '../../../../shared/rounds/plan/difference.ts';
import type { OwnMarker } from '../../../../shared/rounds/memory/own-markers.ts';
import type { FindingMarker, ReplyMarker } from '../../../../shared/rounds/model/marker-payload.ts';
import { PAYLOADS } from '../../text/marker-fixture.ts';
import * as make from '../builders.ts';

const pick = <Kind extends (typeof PAYLOADS)[number]['kind']>(kind: Kind) => {
  const payload = PAYLOADS.find((each): each is Extract<typeof each, { kind: Kind }> => each.kind === kind);
  if (payload === undefined) throw new Error(`the fixture has no ${kind}`);
  return payload;
};

const posted = (patch: Partial<FindingMarker>): OwnMarker => ({
  payload: { ...pick('finding'), id: 'F-001', state: 'open', ...patch },
  comment: make.comment(`The comment of ${patch.id ?? 'F-001'}`),
});

const { fp } = pick('finding');
const closing: ReplyMarker = { ...pick('reply'), id: 'F-001', fp };

const closingsFor = (own: readonly OwnMarker[], state?: 'dismissed'): readonly string[] => {
  const context = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };
  const empty = buildAcknowledgePlan(context, {
    input: inputOf(context.facts),
    noteId: null,
    noticeId: make.runId('n'),
  });
  const plan = {
    ...empty,
    closures: [{ marker: closing, text: 'Closed.', ...(state === undefined ? {} : { state }) }],
  };
  return difference(plan, own, new Set()).closings.map(({ comment, marker }) => `${comment.body}: ${marker.state}`);
};

describe('the posting key', () => {
  const FP = 'ab'.repeat(16);
  const common = { cr: make.KEY, review: 2, attempt: 1, run: make.runId('run') };
  const head = make.sha('head');
  const reply = { ...pick('reply'), fp: FP, review: 2, count: 3 };

  it.each([
    [{ ...pick('summary'), review: 9 }, 'summary'],
    [{ ...pick('finding'), fp: FP, review: 2, id: 'F-009' }, `finding.${FP}.2`],
    [reply, `reply.${FP}.2`],
    [{ ...reply, note: 50 }, `reply.${FP}.2.3`],
    [{ ...pick('handoff'), episode: 4 }, 'handoff.4'],
    [{ ...common, kind: 'notice', head, verdict: 'lgtm' }, 'notice.2'],
    [{ ...common, kind: 'notice', head, verdict: 'lgtm', between: true }, `notice.2.${common.run}`],
    [{ ...common, kind: 'answer', note: '7' }, 'answer.7'],
    [{ ...common, kind: 'decline', head, id: 'F-001', fp: FP }, `decline.${FP}.2`],
    [{ ...common, kind: 'raw', head }, `raw.${common.run}`],
  ] as const)('%j', (payload, key) => {
    expect(postingKey(payload)).toBe(key);
  });
});

describe('the comment that a closing edits', () => {
  it('is the open one of its finding', () => {
    expect(closingsFor([posted({})])).toEqual(['The comment of F-001: resolved']);
    expect(closingsFor([posted({})], 'dismissed')).toEqual(['The comment of F-001: dismissed']);
  });

  it('F-T21: is never one that a person dismissed, nor one that says so already', () => {
    expect(closingsFor([posted({ state: 'dismissed' })])).toEqual([]);
    expect(closingsFor([posted({ state: 'resolved' })])).toEqual([]);
    expect(closingsFor([posted({ state: 'dismissed' })], 'dismissed')).toEqual([]);
    expect(closingsFor([posted({ state: 'resolved' })], 'dismissed')).toEqual(['The comment of F-001: dismissed']);
  });

  it('F-T21: is not that of another finding with the same words', () => {
    expect(closingsFor([posted({ id: 'F-002' }), posted({})])).toEqual(['The comment of F-001: resolved']);
    expect(closingsFor([posted({ id: 'F-002' })])).toEqual([]);
  });
});
