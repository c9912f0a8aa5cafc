import { describe, expect, test } from 'vitest';
import { createComposer } from '../../../services/poster/compose.ts';
import { writeDifference, type Writing } from '../../../services/poster/write.ts';
import { InlineRefusedError } from '../../../shared/forge/errors.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import { buildReviewPlan } from '../../../shared/rounds/plan/review-plan.ts';
import { difference, duplicatesOf, postingKey } from '../../../shared/rounds/plan/difference.ts';
import { gate } from '../../../shared/rounds/gate/gate.ts';
import type { FullPlan, PlannedReply } from '../../../shared/rounds/model/posting/post-plan.ts';
import { readMarkers, stripMarkers } from '../../../shared/rounds/memory/marker.ts';
import { FindingId } from '../../../shared/vocabulary/ids.ts';
import { finding as findingMarker } from '../../shared/text/marker-fixture.ts';
import {
  changeRequest,
  comment as madeComment,
  draft,
  finding,
  history,
  KEY,
  policy,
  run,
  SECRET,
} from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createFakeForge, type FakeForge } from './fake-forge.ts';

const TITLES = ['The lock is never released', 'An index is off by one', 'The answer is dropped'];

const planOf = (): FullPlan => {
  const findings = TITLES.map((title, index) =>
    finding({ fingerprint: `${index}`.repeat(32) }, { title, path: `${index}.ts`, evidence: `call${index}();` }),
  );
  const input = { facts: changeRequest(), history: history(), policy: policy(), run: run({ phase: 'posting' }) };
  const drafted = draft({ findings });
  return buildReviewPlan({ ...input, draft: drafted, gated: gate(drafted, input.history, input.policy) });
};

const writeWith = async ({ forge }: FakeForge, steps: string[] = []): Promise<Writing> => {
  const plan = planOf();
  const writing: Writing = {
    forge,
    plan,
    verdict: null,
    composer: createComposer(forge, { markerSecrets: [SECRET] }, 'http://forge.example/5'),
    metrics: createMetrics({ service: 'poster', processMetrics: false }),
    checkpoint: (step) => void steps.push(step),
    signal: never(),
    isOurs: () => true,
    called: new Map(),
    seen: [],
    urls: new Map(),
    refused: new Set(),
    written: new Set(),
  };
  const rest = difference(plan, [], new Set());
  await writeDifference(writing, rest);
  // As after reading back: the findings are there, and their threads have addresses.
  const found = plan.inline.map(
    ({ marker }, index) => [marker.id, `http://forge.example/5#issuecomment-${index + 1}`] as const,
  );
  await writeDifference({ ...writing, urls: new Map(found) }, { ...rest, inline: [] });
  return writing;
};

const NOTHING_LEFT = { inline: [], replies: [], closings: [], summary: null, notices: [], calls: [] };

const closureOf = ({ runId, head }: Writing['plan']): PlannedReply => ({
  text: '**Resolved** at abc (F-001).',
  marker: {
    kind: 'reply',
    cr: KEY,
    review: 2,
    attempt: 1,
    run: runId,
    id: 'F-001',
    fp: 'a'.repeat(32),
    action: 'resolve',
    count: 1,
    stance: 'accepts',
    severity: 'P1',
    head,
  },
});

const titlesIn = (bodies: readonly string[]): readonly string[] =>
  bodies.map((body) => TITLES.find((title) => body.includes(title)) ?? 'none');

/** Refuses the second title: by its index, or without saying which. */
const refusing = (named: boolean): FakeForge =>
  createFakeForge((bodies) => {
    const index = bodies.findIndex((body) => body.includes(TITLES[1] ?? ''));
    if (index >= 0) throw new InlineRefusedError(named ? index : null, undefined);
  });

describe('what a round writes', () => {
  test('is one review, then the summary', async () => {
    const fake = createFakeForge();
    const steps: string[] = [];
    await writeWith(fake, steps);
    expect(fake.written.map(({ what, bodies }) => ({ what, titles: titlesIn(bodies).length }))).toEqual([
      { what: 'review', titles: 3 },
      { what: 'create', titles: 1 },
    ]);
    expect(steps).toEqual([
      'before-post',
      'after-inline',
      'before-post',
      'after-inline',
      'before-summary',
      'after-summary',
    ]);
    expect(fake.written.at(-1)?.bodies[0]).toContain(
      '[The lock is never released](http://forge.example/5#issuecomment-1)',
    );
    expect(stripMarkers(fake.written.at(-1)?.bodies[0] ?? '')).not.toContain('Additional notes');
  });

  test.each([
    { how: 'by its index', named: true, reviews: [[TITLES[0], TITLES[2]]] },
    { how: 'without saying which', named: false, reviews: [[TITLES[0]], [TITLES[2]]] },
  ])(
    'keeps the others when one place is refused $how, and says the refused one in the summary',
    async ({ named, reviews }) => {
      const fake = refusing(named);
      const { refused } = await writeWith(fake);
      const posted = fake.written.filter(({ what }) => what === 'review').map(({ bodies }) => titlesIn(bodies));
      expect(posted).toEqual(reviews);
      expect(refused).toEqual(new Set(['1'.repeat(32)]));
      const summary = stripMarkers(fake.written.at(-1)?.bodies[0] ?? '');
      const notes = summary.slice(summary.indexOf('Additional notes (not in diff)'));
      expect(notes).toContain('`1.ts:3`');
      expect(notes).toContain(TITLES[1]);
      expect(notes).not.toContain(TITLES[0]);
    },
  );

  test('resolves a thread whose first words an earlier account said, and answers in it', async () => {
    const fake = createFakeForge();
    const writing = await writeWith(fake);
    fake.written.length = 0;
    const { marker, text } = closureOf(writing.plan);
    const comment = madeComment('Said before.', { threadId: 'thread', resolved: false });
    await writeDifference(writing, { ...NOTHING_LEFT, replies: [{ reply: { marker, text }, comment }] });
    expect(fake.written.map(({ what }) => what)).toEqual(['resolve thread', 'reply thread']);
    fake.written.length = 0;
    const bare = { ...writing, forge: { ...writing.forge, threads: null, resolving: null } };
    await writeDifference(bare, { ...NOTHING_LEFT, replies: [{ reply: { marker, text }, comment }] });
    expect(fake.written.map(({ what, bodies }) => [what, stripMarkers(bodies[0] ?? '').trim()])).toEqual([
      ['create', '**Resolved** at abc (F-001).'],
    ]);
  });

  test('answers findings without a thread in one comment, with a marker each', async () => {
    const fake = createFakeForge();
    const writing = await writeWith(fake);
    fake.written.length = 0;
    const { marker } = closureOf(writing.plan);
    const ids = ['F-001', 'F-002', 'F-003'] as const;
    const replies = ids.map((id, index) => ({
      reply: { marker: { ...marker, id, fp: `${index}`.repeat(32), action: 'reply' as const }, text: `About ${id}.` },
      comment: null,
    }));
    await writeDifference(writing, { ...NOTHING_LEFT, replies });
    const [posted, ...more] = fake.written;
    expect(more).toEqual([]);
    const body = posted?.bodies[0] ?? '';
    expect(stripMarkers(body)).toBe('**F-001**: About F-001.\n\n**F-002**: About F-002.\n\n**F-003**: About F-003.');
    const read = readMarkers(body, [SECRET]).map(
      (each) => each.kind === 'valid' && 'id' in each.payload && each.payload.id,
    );
    expect(read).toEqual(ids);
    const own = readMarkers(body, [SECRET]).flatMap((each) =>
      each.kind === 'valid' ? [{ payload: each.payload, comment: madeComment(body, { id: '900' }) }] : [],
    );
    const [first] = own;
    const shared = own.map(({ payload }) => ({ payload, comment: first?.comment ?? madeComment('') }));
    const alone = shared.slice(0, 1).map(({ payload }) => ({ payload, comment: madeComment('') }));
    expect(duplicatesOf([...alone, ...shared])).toEqual([]);
    expect(duplicatesOf([...shared, ...alone])).toEqual([alone[0]?.comment]);
  });

  test.each(['reply', 'closing'] as const)(
    'F14: says of no thread that it is resolved when the forge refuses that (%s)',
    async (how) => {
      const fake = createFakeForge();
      const writing = await writeWith(fake);
      fake.written.length = 0;
      const { marker, text } = closureOf(writing.plan);
      if (marker.kind !== 'reply') throw new Error('no reply');
      const comment = madeComment('Said before.', { threadId: 'thread', resolved: false });
      const refuse = async (): Promise<never> => {
        throw new Error('403');
      };
      const refused = { ...writing, forge: { ...writing.forge, resolving: { resolveThread: refuse } } };
      const left =
        how === 'reply'
          ? { replies: [{ reply: { marker, text }, comment }] }
          : { closings: [{ closure: { marker, text }, comment, marker: findingMarker }] };
      await expect(writeDifference(refused, { ...NOTHING_LEFT, ...left })).rejects.toThrow('403');
      expect(fake.written).toEqual([]);
    },
  );

  test('shares at most 50 answers in one comment, and names nobody twice', async () => {
    const fake = createFakeForge();
    const writing = await writeWith(fake);
    fake.written.length = 0;
    const { marker } = closureOf(writing.plan);
    const replies = Array.from({ length: 120 }, (_, index) => ({
      reply: {
        marker: { ...marker, id: FindingId.parse(`F-${index + 100}`), fp: `${index + 100}`.repeat(11).slice(0, 32) },
        text: `About ${index}.`,
      },
      comment: null,
    }));
    const called = new Map(replies.map(({ reply }) => [postingKey(reply.marker), ['ann']]));
    await writeDifference({ ...writing, called }, { ...NOTHING_LEFT, replies });
    expect(fake.written.map(({ bodies }) => readMarkers(bodies[0] ?? '', [SECRET]).length)).toEqual([50, 50, 20]);
    expect(fake.written.map(({ bodies }) => (bodies[0] ?? '').split('@ann').length - 1)).toEqual([1, 1, 1]);
  });

  test('says a refused finding of several lines as one item of a list', async () => {
    const fake = createFakeForge((bodies) => {
      if (bodies.length > 0) throw new InlineRefusedError(0, undefined);
    });
    await writeWith(fake);
    const summary = stripMarkers(fake.written.at(-1)?.bodies[0] ?? '');
    expect(summary).toContain(
      '- `1.ts:3` (F-002) **High: An index is off by one**\n  \n  The promise is dropped, so its failure is lost.\n- `2.ts:3`',
    );
  });

  test('ends with the error of a forge that fails, also where it takes the comments one by one', async () => {
    const fake = createFakeForge((bodies) => {
      if (bodies.length > 1) throw new InlineRefusedError(null, undefined);
      throw new Error('500');
    });
    await expect(writeWith(fake)).rejects.toThrow('500');
    expect(fake.written).toEqual([]);
  });
});
