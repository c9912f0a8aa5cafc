/**
 * The forms of everything that one version writes and another version may read: jobs, events, states, markers and
 * documents. A change of a form turns this test red. Read "Changing what is stored" in shared/README.md before you
 * accept the new form with `npx vitest run test/upgrade/forms.test.ts --update`.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { QUEUES } from '../../shared/queue/contracts.ts';
import { readMarkers, signMarker } from '../../shared/rounds/memory/marker.ts';
import { RememberedSummary } from '../../shared/rounds/memory/own-markers.ts';
import { Brief } from '../../shared/rounds/model/brief.ts';
import { ReviewDraft } from '../../shared/rounds/model/draft.ts';
import { InboxEvent } from '../../shared/rounds/model/events.ts';
import { FixBrief, FixReport } from '../../shared/rounds/model/fix-brief.ts';
import { MarkerPayload } from '../../shared/rounds/model/marker-payload.ts';
import { PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import { Announcement } from '../../shared/rounds/model/run.ts';
import { GuardState } from '../../shared/rounds/model/state.ts';
import { DecisionRecord } from '../../shared/store/decisions.ts';
import { ProjectMemory } from '../../shared/store/sweep/sweep-memory.ts';
import { Notes, Question } from '../../shared/vocabulary/question.ts';
import { readProjectFile } from '../conventions/source.ts';
import { PAYLOADS } from '../shared/text/marker-fixture.ts';

const FORMS: Readonly<Record<string, z.ZodType>> = {
  ...Object.fromEntries(Object.entries(QUEUES).map(([name, { payload }]) => [`job-${name}`, payload])),
  event: InboxEvent,
  state: GuardState,
  marker: MarkerPayload,
  summary: RememberedSummary,
  announcement: Announcement,
  brief: Brief,
  draft: ReviewDraft,
  plan: PostPlan,
  'fix-brief': FixBrief,
  'fix-report': FixReport,
  question: Question,
  notes: Notes,
  decision: DecisionRecord,
  swept: ProjectMemory,
};

test.each(Object.entries(FORMS))('the form of %s is the one that was agreed on', async (name, schema) => {
  const form = z.toJSONSchema(schema, { io: 'input', reused: 'ref', unrepresentable: 'any' });
  await expect(`${JSON.stringify(form, null, 1)}\n`).toMatchFileSnapshot(`forms/${name}.json`);
});

test('a marker is written and signed as it was agreed on', async () => {
  const written = PAYLOADS.map((payload) => signMarker(payload, 'a secret of this test')).join('\n');
  await expect(`${written}\n`).toMatchFileSnapshot('forms/markers.txt');
});

/** What the version of part L wrote in a review by a model, its announcement, its failure and its answers. */
const RECORDED = z
  .record(z.string(), z.array(z.unknown()))
  .parse(JSON.parse(readFileSync(new URL('recorded/part-l.json', import.meta.url), 'utf8')));

const DOCUMENTS = Object.entries(RECORDED).flatMap(([name, all]) =>
  all.map((document, index) => ({ name, index, document })),
);

describe('what the previous version wrote', () => {
  test.each(DOCUMENTS)('is read whole: $name $index', ({ name, document }) => {
    expect(FORMS[name]?.parse(document)).toMatchObject(document as object);
  });

  test('has a document of each form that a review needs', () => {
    const fixes = ['announcement', 'event', 'job-fix', 'job-notify', 'fix-brief', 'fix-report'];
    expect(Object.keys(FORMS).filter((name) => !(name in RECORDED))).toEqual(expect.arrayContaining(fixes));
    expect(Object.keys(FORMS).filter((name) => !(name in RECORDED))).toHaveLength(fixes.length);
  });

  test('is known again by its signature', () => {
    const markers = readFileSync(new URL('forms/markers.txt', import.meta.url), 'utf8');
    expect(readMarkers(markers, ['a secret of this test'])).toEqual(
      PAYLOADS.map((payload) => ({ kind: 'valid', payload })),
    );
  });
});

describe('what a newer version adds', () => {
  /** As a later version may write them: with one more field everywhere. */
  const widen = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(widen);
    if (typeof value !== 'object' || value === null) return value;
    return { ...Object.fromEntries(Object.entries(value).map(([key, each]) => [key, widen(each)])), addedLater: 1 };
  };

  test.each(DOCUMENTS)('is ignored by this one: $name $index', ({ name, document }) => {
    expect(FORMS[name]?.parse(widen(document))).toEqual(FORMS[name]?.parse(document));
  });
});

test('the changelog names the version with which this one was tested side by side', () => {
  const script = z
    .object({ scripts: z.object({ 'test:upgrade': z.string() }) })
    .parse(JSON.parse(readProjectFile('package.json'))).scripts['test:upgrade'];
  const [commit = 'none'] = /[0-9a-f]{40}/.exec(script) ?? [];
  expect(readProjectFile('CHANGELOG.md')).toContain(`commit\n  \`${commit}\``);
});
