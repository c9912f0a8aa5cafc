/** The body of the review that holds the comments on lines: the one mail of a review that asks. */
import { describe, expect, test } from 'vitest';
import { createComposer } from '../../../services/poster/compose.ts';
import { isSummaryUnlinked, writeDifference, type Writing } from '../../../services/poster/write.ts';
import { InlineRefusedError } from '../../../shared/forge/errors.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import { gate } from '../../../shared/rounds/gate/gate.ts';
import { readMarkers, signMarker } from '../../../shared/rounds/memory/marker.ts';
import { difference } from '../../../shared/rounds/plan/difference.ts';
import { buildReviewPlan } from '../../../shared/rounds/plan/review-plan.ts';
import * as make from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createFakeForge } from './fake-forge.ts';

const LIMITS = { maxSilent: 50, maxCarried: 50, maxComments: 20 };

const planOf = () => {
  const findings = ['One', 'Two'].map((title, index) =>
    make.finding({ fingerprint: `${index}`.repeat(32) }, { title, path: `${index}.ts`, evidence: `call${index}();` }),
  );
  const draft = make.draft({ findings });
  const input = { facts: make.changeRequest(), history: make.history(), policy: make.policy({}, LIMITS) };
  const run = make.run({ phase: 'posting' });
  return buildReviewPlan({ ...input, run, draft, gated: gate(draft, input.history, input.policy) });
};

type Wish = { readonly reviewBody: boolean; readonly refuse?: (count: number) => void; readonly hasSummary?: boolean };

const writeWith = async ({ reviewBody, refuse = () => {}, hasSummary = false }: Wish) => {
  const plan = planOf();
  const { forge, written } = createFakeForge();
  const reviews: string[] = [];
  const writing: Writing = {
    forge: {
      ...forge,
      reviewBody,
      write: {
        ...forge.write,
        submitReview: async (_of, { body, comments }) => {
          refuse(comments.length);
          reviews.push(body);
          return null;
        },
      },
    },
    plan,
    verdict: null,
    composer: createComposer(forge, { markerSecrets: [make.SECRET] }),
    metrics: createMetrics({ service: 'poster', processMetrics: false }),
    checkpoint: () => {},
    signal: never(),
    isOurs: () => true,
    seen: [],
    called: new Map(),
    urls: new Map(),
    refused: new Set(),
    written: new Set(),
  };
  const stands = make.comment(signMarker({ ...plan.summary.marker, superseded: 7 }, make.SECRET));
  const own = hasSummary ? [{ payload: { ...plan.summary.marker, superseded: 7 }, comment: stands }] : [];
  const rest = difference(plan, own, new Set());
  await writeDifference(writing, rest);
  // What links to the threads follows once they are read back.
  await writeDifference(writing, { ...rest, inline: [], summary: isSummaryUnlinked(writing) ? null : rest.summary });
  const kindIn = (body: string): readonly string[] =>
    readMarkers(body, [make.SECRET]).map((reading) => (reading.kind === 'valid' ? reading.payload.kind : reading.kind));
  return { reviews: reviews.map(kindIn), bodies: reviews, written: written.map(({ what }) => what) };
};

describe('F-R12: a review that asks', () => {
  test('holds the first summary in its body, so one mail says everything', async () => {
    const { reviews, written, bodies } = await writeWith({ reviewBody: true });
    expect([reviews, written]).toEqual([[['summary']], []]);
    expect(bodies[0]).toContain('2 problems to fix before merging');
  });

  test('says the verdict and what to do beside a summary that exists', async () => {
    const { reviews, written, bodies } = await writeWith({ reviewBody: true, hasSummary: true });
    expect([reviews, written.map((what) => what.slice(0, 4))]).toEqual([[['answer']], ['edit']]);
    expect(bodies[0]).toMatch(/problems to fix before merging/);
  });

  test('leaves the summary to a comment where the forge has no body', async () => {
    expect(await writeWith({ reviewBody: false })).toMatchObject({ reviews: [['answer']], written: ['create'] });
  });

  test('lists a refused comment in the summary that its body holds', async () => {
    let tries = 0;
    const refuse = (): void => {
      tries += 1;
      if (tries === 1) throw new InlineRefusedError(0, undefined);
    };
    const { reviews, written, bodies } = await writeWith({ reviewBody: true, refuse });
    expect([reviews, written]).toEqual([[['summary']], []]);
    expect(bodies[0]).toContain('The forge refused these as inline comments');
  });

  test('leaves the summary to a comment when each comment is sent alone, or all are refused', async () => {
    const refuse = (count: number): void => {
      if (count > 1) throw new InlineRefusedError(null, undefined);
    };
    expect(await writeWith({ reviewBody: true, refuse })).toMatchObject({
      reviews: [['answer'], ['answer']],
      written: ['create'],
    });
    const all = (): void => {
      throw new InlineRefusedError(0, undefined);
    };
    expect(await writeWith({ reviewBody: true, refuse: all })).toMatchObject({ reviews: [], written: ['create'] });
  });
});
