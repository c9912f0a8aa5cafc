/** Pages that show every text of the golden files as the simulated forge shows it: one page per kind of text. */
import { readFileSync } from 'node:fs';
import { escapeHtml } from '../forgejo/markdown.ts';
import { page, textBody } from '../forgejo/page-parts.ts';
import { face, STYLE } from './review-parts.ts';
import { BOT } from './forge.ts';

const GOLDEN = new URL('../../shared/rounds/plan/golden/', import.meta.url);

/** The file's name without `.md`, and a caption. */
type Text = readonly [file: string, caption: string];

export type TextGroup = {
  readonly name: string;
  readonly title: string;
  readonly texts: readonly Text[];
};

/** Small groups, because each picture stays below 250 kB. */
export const TEXT_GROUPS: readonly TextGroup[] = [
  { name: 'summary', title: 'The summary', texts: [['summary-problems', 'With problems, sections open']] },
  {
    name: 'results',
    title: 'The summary with other results',
    texts: [
      ['summary-no-problems', 'Without problems'],
      ['summary-later-review', 'After a later review'],
      ['summary-after-answers', 'After answers in threads'],
      ['summary-incomplete', 'Not everything was reviewed'],
    ],
  },
  {
    name: 'not-reviewed',
    title: 'The summary without a result',
    texts: [
      ['summary-in-progress', 'While a review runs'],
      ['summary-failed', 'The review failed'],
      ['summary-outage', 'The model is unavailable'],
      ['summary-runs-used-up', 'No run is left'],
      ['summary-merged-too-early', 'Merged before the review ended'],
    ],
  },
  {
    name: 'threads',
    title: 'Threads',
    texts: [
      ['finding', 'A finding with a suggestion'],
      ['finding-with-a-button', 'The same where the forge applies suggestions'],
      ['finding-by-a-rule', 'A finding by a rule'],
      ['reply', 'A reply'],
      ['reply-repeated', 'A reply that would repeat its thread'],
      ['reply-veto', 'A veto'],
      ['reply-escalate', 'An escalation'],
      ['replies-together', 'Replies without threads, in one comment'],
    ],
  },
  {
    name: 'handoffs',
    title: 'Hand-offs',
    texts: [
      ['handoff-last-round', 'No round is left'],
      ['handoff-failed-review', 'The review failed'],
      ['handoff-unanswered', 'A reply got no answer'],
    ],
  },
  {
    name: 'answers',
    title: 'Answers to commands',
    texts: [
      ['answer-help', 'help'],
      ['answer-status', 'status'],
      ['answer-why', 'why'],
      ['answer-verdict', 'review, when there is a verdict'],
      ['answer-explain', 'explain'],
      ['answer-dismissed', 'dismiss'],
    ],
  },
  {
    name: 'others',
    title: 'Statuses, fixes, and a review by rules',
    texts: [
      ['status', 'Commit statuses'],
      ['notice-pass', 'Nothing blocks any more'],
      ['fix-pushed', 'A fix was pushed'],
      ['handoff-fix', 'A fix was not pushed'],
      ['summary-no-problems-by-rules', 'Without problems, no model'],
    ],
  },
];

const TEXTS_STYLE = `<style>
h1 { font-size: 22px; margin-bottom: 16px; }
h2 { font-size: 14px; font-weight: 600; color: var(--soft); margin: 18px 0 6px; }
</style>`;

const card = ([file, caption]: Text): string => {
  const body = readFileSync(new URL(`${file}.md`, GOLDEN), 'utf8');
  const header = file === 'status' ? '' : `<header>${face(BOT)} commented</header>`;
  return `<h2>${escapeHtml(caption)}</h2><section class="card">${header}${textBody(body)}</section>`;
};

/** The commands have a picture of their own. */
const unfolded = (html: string): string => html.replaceAll(/<details>(?!\s*<summary>Commands)/g, '<details open>');

export const textsPage = ({ title, texts }: TextGroup): string => {
  const cards = texts.map((text) => (text[0] === 'summary-problems' ? unfolded(card(text)) : card(text)));
  return page(title, `${STYLE}${TEXTS_STYLE}<h1>${escapeHtml(title)}</h1>${cards.join('')}`);
};
