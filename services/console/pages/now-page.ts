import type { PausedProject } from '../../../shared/store/board/pauses.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import type { Now, NowRow } from '../read/now.ts';
import { type Content, html, type Markup } from './html.ts';
import { badge, amountText, duration, shaText, since, type Tone } from './words.ts';

export const pathOf = ({ forge, projectId, number }: ChangeRequest): string =>
  `/change-requests/${forge}/${projectId}/${number}`;

export const nowPage = (now: Now): Content => html`
  <div>
    <div class="heading">
      <h1>Now</h1>
      <p class="aside"><a href="/">Reload</a></p>
    </div>
    <div id="live">${livePart(now)}</div>
  </div>
`;

/** The part that is replaced while the page is open. */
export const livePart = (now: Now): Markup => html`
  <div>
    ${now.pauses.map((pause) => pausedProject(pause))}
    ${[...now.outages.map((text) => notice(text, 'warn')), ...now.misconfigurations.map((text) => notice(text, 'bad'))]}
    <p class="lead">
      ${now.total === 0 ? 'Nothing is in progress.' : `${amountText(now.total, 'change request')} in progress.`}
      ${now.total > now.rows.length ? ` The ${now.rows.length} that changed least recently are shown.` : ''}
    </p>
    ${SECTIONS.map(([group, title, empty]) =>
      section(
        title,
        now.rows.filter((row) => row.group === group),
        empty,
      ),
    )}
  </div>
`;

const notice = (text: string, tone: Tone): Content => html`<p class="${`notice ${tone}`}">${text}</p>`;

const SECTIONS: readonly (readonly [group: NowRow['group'], title: string, empty: string | null])[] = [
  ['running', 'Running', 'No review is running.'],
  ['waiting', 'Waiting for a slot', null],
  ['quiet', 'Quiet time after a push', null],
  ['ci', 'Held by CI', null],
  ['parked', 'Waiting for an outage or a correction', null],
];

const pausedProject = ({ forge, projectId, held, by }: PausedProject): Content => html`
  <p class="notice warn">
    Project <a href="${`/projects/${forge}/${projectId}`}">${forge}/${projectId}</a> is paused by ${by}:
    ${amountText(held, 'change request')} ${held === 1 ? 'waits' : 'wait'}.
  </p>
`;

/** A section without rows is left out, unless it says what its absence means. */
const section = (title: string, rows: readonly NowRow[], empty: string | null): Content => {
  if (rows.length === 0 && empty === null) return null;
  return html`
    <section>
      <h2>${title} <span class="count">${rows.length}</span></h2>
      ${rows.length === 0 ? html`<p class="empty">${empty}</p>` : html`<ul class="cards">${rows.map(card)}</ul>`}
    </section>
  `;
};

const TONES: Readonly<Record<NowRow['group'], Tone>> = {
  running: 'busy',
  waiting: 'calm',
  quiet: 'calm',
  ci: 'warn',
  parked: 'bad',
};

const card = (row: NowRow): Content => html`
  <li class="card">
    <p class="title"><a href="${pathOf(row.of)}">${row.title ?? row.status.changeRequest}</a></p>
    <p class="facts">
      ${badge(row.status.doing.replace('_', ' '), TONES[row.group])}
      ${row.status.paused ? badge('paused', 'warn') : null} ${row.isHeld ? badge('project paused', 'warn') : null}
      <span>${row.status.changeRequest}</span>
      <code>${shaText(row.status.head)}</code>
      ${row.author === null ? null : html`<span>by ${row.author}</span>`}
    </p>
    <p class="why">${row.why}${row.status.secondsLeft === null ? '' : `, ${duration(row.status.secondsLeft)} left`}</p>
    <p class="facts small">
      <span>rounds ${row.status.rounds.used}/${row.status.rounds.max}</span>
      <span>runs ${row.status.runs.used}/${row.status.runs.max}</span>
      ${row.seenAtMs === null ? null : html`<span>last change ${since(row.seenAtMs, row.nowMs)}</span>`}
    </p>
  </li>
`;
