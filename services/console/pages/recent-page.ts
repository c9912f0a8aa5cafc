import type { Recent, RecentRow } from '../read/recent.ts';
import { type Content, html } from './html.ts';
import { pathOf } from './now-page.ts';
import { badge, amountText, shaText, since, verdictBadge } from './words.ts';

export const recentPage = (recent: Recent): Content => html`
  <h1>Change requests</h1>
  <form class="find" method="get" action="/change-requests/find">
    <label for="ref">Find one by forge, project id and number</label>
    <div class="row">
      <input id="ref" name="ref" required maxlength="120" placeholder="forge/42/7" autocomplete="off" />
      <button type="submit">Show</button>
    </div>
  </form>
  <p class="lead">${recent.total === 0 ? EMPTY : `${amountText(recent.total, 'change request')}, the most recent first.`}</p>
  <ul class="cards">
    ${recent.rows.map((row) => card(row, recent.nowMs))}
  </ul>
  ${pager(recent)}
`;

const EMPTY = 'No change request is known yet. Each event of a forge adds its change request.';

const card = ({ of, view, status }: RecentRow, nowMs: number): Content => {
  const name = `${of.forge}/${of.projectId}/${of.number}`;
  return html`
    <li class="card">
      <p class="title"><a href="${pathOf(of)}">${view?.title ?? name}</a></p>
      <p class="facts">
        ${verdictBadge(view?.verdict ?? null)}
        ${view === null || view.state === 'open' ? null : badge(view.state, 'calm')}
        <span>${name}</span>
        ${view === null ? null : html`<code>${shaText(view.head)}</code>`}
        ${view === null ? null : html`<span>${openThreads(view)}</span>`}
        ${view === null ? null : since(view.atMs, nowMs)}
      </p>
      ${status === null || status.doing === 'idle' ? null : html`<p class="why">${status.why}</p>`}
    </li>
  `;
};

const openThreads = ({ threads }: NonNullable<RecentRow['view']>): string =>
  amountText(threads.filter(({ state }) => state === 'open').length, 'open thread');

const pager = ({ page, pages }: Recent): Content =>
  pages === 1
    ? null
    : html`<nav class="pager" aria-label="Pages of the list">
        ${page > 1 ? html`<a href="/change-requests?page=${page - 1}" rel="prev">Newer</a>` : null}
        <span>page ${page} of ${pages}</span>
        ${page < pages ? html`<a href="/change-requests?page=${page + 1}" rel="next">Older</a>` : null}
      </nav>`;
