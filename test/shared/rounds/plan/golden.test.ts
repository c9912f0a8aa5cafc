/** Every text that authors read, compared whole with a file. `npx vitest run test/shared/rounds/plan --update` writes them anew. */
import { describe, expect, test } from 'vitest';
import { createComposer } from '../../../../services/poster/compose.ts';
import { namedAnswer } from '../../../../shared/rounds/plan/answers/named-answer.ts';
import { readSummaryBody } from '../../../../shared/rounds/memory/read-summary-body.ts';
import { stripMarkers } from '../../../../shared/rounds/memory/marker.ts';
import type { SummaryBody } from '../../../../shared/rounds/model/posting/post-plan.ts';
import type { PostPlan } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { resolveFindingLinks } from '../../../../shared/rounds/plan/wording/finding-links.ts';
import { createFakeForge } from '../../../services/poster/fake-forge.ts';
import * as make from '../builders.ts';
import { PAGE, PLANS, STATUSES, type Shown, URLS } from './golden-plans.ts';

const { forge } = createFakeForge();
const secrets = { markerSecrets: [make.SECRET], operators: ['ops'] } as const;
const on = (ranged: boolean) =>
  createComposer(
    {
      ...forge,
      rangedSuggestions: ranged,
      sanitizing: { ...forge.sanitizing, maxLength: 200_000, mayShow: ['fixpoint'] },
    },
    secrets,
    PAGE,
  );

/** What has a thread: the new findings with an inline comment, else those of earlier reviews. */
const urlsOf = ({ inline }: PostPlan): ReadonlyMap<string, string> => {
  const ids = new Set<string>(inline.map(({ marker }) => marker.id));
  return ids.size === 0 ? URLS : new Map([...URLS].filter(([id]) => ids.has(id)));
};

const linked = (plan: PostPlan, { text, folds = [], ...rest }: SummaryBody): SummaryBody => ({
  ...rest,
  text: resolveFindingLinks(text, urlsOf(plan)),
  folds: folds.map((fold) => ({ ...fold, text: resolveFindingLinks(fold.text, urlsOf(plan)) })),
});

const summaryOf = (plan: PostPlan): string => {
  const { summary } = plan;
  if (summary === null) throw new Error('the plan has no summary');
  const { marker, ...body } = summary;
  return on(false).summary(linked(plan, body), marker);
};

const noticeOf = (plan: PostPlan): string => {
  const [notice] = plan.notices;
  if (notice === undefined) throw new Error('the plan has no notice');
  return on(false).notice(
    { ...notice, text: resolveFindingLinks(notice.text, urlsOf(plan)) },
    notice.mention ? ['ops'] : [],
  );
};

const inlineOf = (plan: PostPlan, ranged: boolean): string => {
  const [inline] = plan.inline;
  if (inline === undefined) throw new Error('the plan has no finding');
  return on(ranged).inline(inline);
};

/** One in its thread, several in one comment. Whoever is called is called as an operator. */
const repliesOf = ({ replies }: PostPlan): string => {
  const [first, ...more] = replies;
  if (first === undefined) throw new Error('the plan has no reply');
  const names = replies.some(({ calls }) => calls !== undefined) ? ['ops'] : [];
  if (more.length === 0) return on(false).calling(first, names);
  return on(false).answers(
    replies.map((reply) => namedAnswer(reply, URLS)),
    names,
  );
};

const bodyOf = (plan: PostPlan, shown: Shown): string => {
  switch (shown) {
    case 'summary':
      return summaryOf(plan);
    case 'notice':
      return noticeOf(plan);
    case 'finding':
      return inlineOf(plan, false);
    case 'finding with a button':
      return inlineOf(plan, true);
    case 'replies':
      return repliesOf(plan);
    default:
      return shown satisfies never;
  }
};

/** The breaks of the sanitizer are invisible and would make the files hard to read. */
const readable = (body: string): string => `${stripMarkers(body).replaceAll('\u200B', '')}\n`;

describe('a text that people read', () => {
  test.each(PLANS)('$name', async ({ name, plan, shown }) => {
    await expect(readable(bodyOf(plan(), shown))).toMatchFileSnapshot(`golden/${name}.md`);
  });

  test('a status', async () => {
    const lines = STATUSES.map(({ state, description }) => `| ${state} | ${description} |`);
    await expect(['| state | text |', '| --- | --- |', ...lines, ''].join('\n')).toMatchFileSnapshot(
      'golden/status.md',
    );
    for (const { description } of STATUSES) {
      expect(description.length).toBeLessThanOrEqual(60);
      expect(description).not.toMatch(/[A-Z]{2,}_|_[a-z]|`/);
    }
  });

  test.each(PLANS.filter(({ shown }) => shown === 'summary'))('$name is read back as it was posted', ({ plan }) => {
    const made = plan();
    const { summary } = made;
    if (summary === null) throw new Error('the plan has no summary');
    const once = on(false).summary(linked(made, summary), summary.marker);
    const again = on(false).summary(readSummaryBody(once), summary.marker);
    expect(again).toBe(once);
    expect(readSummaryBody(once).folds?.map(({ title }) => title)).toEqual(summary.folds?.map(({ title }) => title));
  });
});
