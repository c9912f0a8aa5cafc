/** A page that shows a review like a forge: the summary, one thread with its code, and the status of the head. */
import { readFileSync } from 'node:fs';
import { cutAround } from '../forgejo/diff-hunk.ts';
import { escapeHtml } from '../forgejo/markdown.ts';
import { excerpt, page, textBody } from '../forgejo/page-parts.ts';
import { stripMarkers } from '../../../shared/rounds/memory/marker.ts';
import { AUTHOR, BOT, type DemoSight, REPO } from './forge.ts';
import { face, STYLE } from './review-parts.ts';

export type ReviewSight = {
  readonly number: number;
  readonly title: string;
  readonly branch: string;
  readonly sight: DemoSight;
  /** Diff of the whole change, as git prints it. */
  readonly diff: string;
};

type Said = DemoSight['inline'][number];

const ref = (text: string): string => `<span class="ref">${escapeHtml(text)}</span>`;

const head = ({ number, title, branch, sight }: ReviewSight): string =>
  `<div class="path">${escapeHtml(REPO.replace('/', ' / '))}</div>
<h1>${escapeHtml(title)} <span class="number">#${number}</span></h1>
<div class="lead"><span class="badge open">Open</span><span><b>${AUTHOR}</b> wants to merge ${ref(branch)} into ${ref('main')}</span>
<span>at ${ref(sight.head.slice(0, 10))}</span></div>`;

const summary = ({ sight }: ReviewSight): string => {
  const body = sight.comments[0]?.body ?? '';
  return `<section class="card"><header>${face(BOT)} commented</header>${textBody(stripMarkers(body))}</section>`;
};

const sameThread = (a: Said, b: Said): boolean => a.path === b.path && a.line === b.line && a.side === b.side;

/** The open thread with the most comments. */
const choose = ({ inline }: DemoSight): readonly Said[] => {
  const firsts = inline.filter((said, at) => inline.findIndex((other) => sameThread(said, other)) === at);
  const threads = firsts
    .filter(({ resolved }) => !resolved)
    .map((first) => inline.filter((said) => sameThread(said, first)));
  return threads.reduce<readonly Said[]>((most, thread) => (thread.length > most.length ? thread : most), []);
};

/** @throws when the diff does not contain the line */
const codeOf = (diff: string, { path, line, side }: Said): string => {
  const file = diff.split(/^(?=diff --git )/m).find((part) => part.includes(`\n+++ b/${path}\n`)) ?? '';
  const hunk = cutAround(file.replaceAll('\r', ''), side === 'old' ? -line : line);
  if (hunk === '') throw new Error(`the diff does not hold ${path}:${line}`);
  return excerpt(hunk);
};

const said = ({ author, body }: Said): string =>
  `<div class="said"><header>${face(author)}</header>${textBody(stripMarkers(body))}</div>`;

const thread = ({ sight, diff }: ReviewSight): string => {
  const all = choose(sight);
  const [first] = all;
  if (first === undefined) throw new Error('no thread is open');
  const where = `<div class="where"><b>${escapeHtml(first.path)}</b><span class="soft">line ${first.line}</span></div>`;
  return `<section class="card"><div class="thread">${where}${codeOf(diff, first)}${all.map(said).join('')}</div></section>`;
};

const status = ({ sight: { headStatuses, statusText } }: ReviewSight): string =>
  Object.entries(headStatuses)
    .map(
      ([context, state]) =>
        `<span class="badge ${state === 'failed' ? 'failure' : escapeHtml(state)}">${escapeHtml(state)}</span><b>${escapeHtml(context)}</b>`,
    )
    .map((row) => `<li>${row}<span class="soft">${escapeHtml(statusText)}</span></li>`)
    .join('');

/** The summary alone, with the collapsed sections open that are most used. */
export const renderOpenSummary = (review: ReviewSight): string =>
  page('The summary', `${STYLE}${summary(review)}`).replaceAll(
    /<details>(?=\s*<summary>(?:Resolved|Who|Prompt))/g,
    '<details open>',
  );

const HANDOFF = new URL('../../shared/rounds/plan/golden/handoff-last-round.md', import.meta.url);

export const handoffPage = (): string => {
  const card = `<section class="card"><header>${face(BOT)} commented</header>${textBody(readFileSync(HANDOFF, 'utf8'))}</section>`;
  return page('A hand-off', `${STYLE}${card}`);
};

/** All content is escaped or rendered by the simulated forge; hidden markers are left out. */
export const renderReviewPage = (review: ReviewSight): string =>
  page(
    `${review.title} · #${review.number}`,
    `${STYLE}${head(review)}${summary(review)}${thread(review)}<section class="card"><ul class="checks">${status(review)}</ul></section>`,
  );
