import { describe, expect, it } from 'vitest';
import { buildAcknowledgePlan } from '../../../../shared/rounds/plan/acknowledge-plan.ts';
import { inputOf } from '../../../../shared/rounds/model/input.ts';
import { difference } from '../../../../shared/rounds/plan/difference.ts';
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
