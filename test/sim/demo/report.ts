/** The forge's state after a round, read back as a user would see it. */
import type { FindingMarker } from '../../../shared/rounds/model/marker-payload.ts';
import { readMarkers, stripMarkers } from '../../../shared/rounds/memory/marker.ts';
import type { DemoWorld } from './world.ts';

export type DemoComment = {
  readonly path: string;
  readonly line: number;
  readonly side: 'new' | 'old';
  readonly severity: string;
  readonly findingId: string;
  readonly threadState: string;
  readonly body: string;
};

export type DemoRound = {
  readonly head: string;
  readonly verdict: string;
  readonly comments: readonly DemoComment[];
};

export type DemoReport = { readonly rounds: readonly DemoRound[] };

export const readReview = ({ forge, markerSecret }: DemoWorld, number: number, review: number): DemoRound => {
  const sight = forge.look(number);
  const comments = sight.inline.flatMap(({ path, line, side, body }) => {
    const marker = findingIn(body, markerSecret);
    if (marker === null || marker.review !== review) return [];
    const { severity, id: findingId, state: threadState } = marker;
    return [{ path, line, side, severity, findingId, threadState, body: stripMarkers(body) }];
  });
  return {
    head: sight.head,
    verdict: verdictOf(sight.comments, markerSecret),
    comments,
  };
};

const findingIn = (body: string, secret: string): FindingMarker | null => {
  for (const reading of readMarkers(body, [secret])) {
    if (reading.kind === 'valid' && reading.payload.kind === 'finding') return reading.payload;
  }
  return null;
};

const verdictOf = (bodies: readonly string[], secret: string): string => {
  for (const reading of bodies.flatMap((body) => readMarkers(body, [secret]))) {
    if (reading.kind === 'valid' && reading.payload.kind === 'summary') return reading.payload.verdict ?? 'none';
  }
  return 'none';
};
