import { JOB_STATES, type JobState, type QueueCount } from '../../../shared/queue/queue-counts.ts';
import type { ExplainedJob, QueuesReading } from '../read/queues.ts';
import { type Content, html } from './html.ts';
import { pathOf } from './now-page.ts';
import { amountText, badge, duration, since } from './words.ts';

export type QueuesFrame = {
  /** The value for forms; null if the visitor may not act. */
  readonly csrf: string | null;
  /** What the last action did. Null if there was none. */
  readonly said: string | null;
  /** The path of bull-board; null if it is not switched on. */
  readonly board: string | null;
};

export const queuesPage = (reading: QueuesReading, { csrf, said, board }: QueuesFrame): Content => html`
  <div class="heading">
    <h1>Queues</h1>
    ${board === null ? null : html`<p class="aside"><a href="${board}">Every job in bull-board</a></p>`}
  </div>
  ${said === null ? null : html`<p class="notice calm" role="status">${said}</p>`}
  <table>
    <caption>
      Jobs by queue, and how long the oldest one has waited
    </caption>
    <thead>
      <tr>
        <th scope="col">Queue</th>
        ${JOB_STATES.map((state) => html`<th scope="col" class="figure">${HEADINGS[state]}</th>`)}
        <th scope="col" class="figure">Oldest</th>
      </tr>
    </thead>
    <tbody>
      ${reading.counts.map((count) => row(count, reading.nowMs))}
    </tbody>
  </table>
  <section>
    <h2>Failed jobs <span class="count">${reading.failedTotal}</span></h2>
    ${reading.failedTotal === 0 ? html`<p class="empty">No job has failed for good within the last week.</p>` : null}
    ${
      reading.failedTotal > reading.failed.length
        ? html`<p class="empty">The ${reading.failed.length} newest are shown.</p>`
        : null
    }
    <ul class="cards">
      ${reading.failed.map((job) => failedCard(job, { csrf, nowMs: reading.nowMs }))}
    </ul>
  </section>
`;

const HEADINGS: Readonly<Record<JobState, string>> = {
  waiting: 'Waiting',
  active: 'Active',
  waiting_children: 'For explorers',
  delayed: 'Delayed',
  failed: 'Failed',
};

const row = ({ queue, states }: QueueCount, nowMs: number): Content => {
  const { sinceMs } = states.waiting;
  return html`
    <tr>
      <th scope="row">${queue}</th>
      ${JOB_STATES.map((state) => html`<td class="figure" data-name="${HEADINGS[state]}">${states[state].count}</td>`)}
      <td class="figure" data-name="Oldest">${sinceMs === null ? '–' : duration((nowMs - sinceMs) / 1000)}</td>
    </tr>
  `;
};

type CardFrame = { readonly csrf: string | null; readonly nowMs: number };

const failedCard = (job: ExplainedJob, { csrf, nowMs }: CardFrame): Content => {
  const { changeRequest: of } = job;
  return html`
    <li class="card">
      <p class="facts">
        ${badge(job.code, 'bad')} <span>${job.queue}</span>
        ${of === null ? null : html`<a href="${pathOf(of)}">${of.forge}/${of.projectId}/${of.number}</a>`}
        <span>${since(job.failedAtMs, nowMs)}</span>
        <span>${amountText(job.attempts, 'attempt')}</span>
      </p>
      <p>${job.meaning}</p>
      ${job.isStale ? html`<p class="small">Guard no longer waits for this job, so running it again changes nothing.</p>` : null}
      <p class="small"><code>${job.jobId}</code></p>
      ${csrf === null ? null : actions(job, csrf)}
    </li>
  `;
};

const actions = ({ queue, jobId, isStale }: ExplainedJob, csrf: string): Content => html`
  <form class="row" method="post" action="/queues/jobs">
    <input type="hidden" name="csrf" value="${csrf}" />
    <input type="hidden" name="queue" value="${queue}" />
    <input type="hidden" name="job" value="${jobId}" />
    ${isStale ? null : html`<button class="quiet" name="action" value="run_again">Run again</button>`}
    <button class="quiet" name="action" value="drop">Drop</button>
  </form>
`;
