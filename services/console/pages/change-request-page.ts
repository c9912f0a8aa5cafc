import { isSameProject } from '../../../shared/store/board/pauses.ts';
import type { DecisionRecord } from '../../../shared/store/decisions.ts';
import type { ChangeRequestView, ThreadView } from '../../../shared/store/board/views.ts';
import type { ChangeRequestReading, TimelineRun } from '../read/change-request.ts';
import { type Content, html, outside } from './html.ts';
import { pathOf } from './now-page.ts';
import { badge, amountText, duration, money, number, shaText, since, type Tone, verdictBadge } from './words.ts';

export const changeRequestPage = (reading: ChangeRequestReading, actions: Content): Content => {
  const { of, view, troubles } = reading;
  const name = `${of.forge}/${of.projectId}/${of.number}`;
  return html`
    <p class="crumb"><a href="/change-requests">Change requests</a></p>
    <h1>${view?.title ?? name}</h1>
    ${view === null ? null : head(view, name)}
    ${troubles.outages.map((text) => html`<p class="notice warn">${text}</p>`)}
    ${troubles.misconfigurations.map((text) => html`<p class="notice bad">${text}</p>`)}
    ${isPaused(reading) ? html`<p class="notice warn">${PAUSED}</p>` : null}
    ${stateOf(reading)} ${actions} ${view === null ? null : threadsOf(view)} ${runsOf(reading)}
    ${view === null ? null : handoffsOf(view, reading.nowMs)} ${decisionsOf(reading)}
  `;
};

const PAUSED = 'The project is paused: events wait, no review starts, and nothing is posted until it continues.';

const isPaused = ({ of, troubles }: ChangeRequestReading): boolean =>
  troubles.pauses.some((pause) => isSameProject(pause, of));

const head = (view: ChangeRequestView, name: string): Content => html`
  <p class="facts">
    ${verdictBadge(view.verdict)} ${badge(view.draft ? 'draft' : view.state, 'calm')}
    <span>${outside(view.webUrl, name)}</span>
    <span>by ${view.author}</span>
    <span><code>${view.sourceBranch}</code> into <code>${view.targetBranch}</code></span>
    <code>${shaText(view.head)}</code>
    ${view.summaryUrl === null ? null : html`<span>${outside(view.summaryUrl, 'summary on the forge')}</span>`}
  </p>
`;

const stateOf = ({ status, view, spent, granted, nowMs }: ChangeRequestReading): Content => html`
  <section>
    <h2>State</h2>
    <dl class="grid">
      ${fact('Now', status === null ? UNKNOWN : `${status.why}${leftText(status.secondsLeft)}`)}
      ${view === null || view.waits === null ? null : fact('Not reviewed because', view.waits)}
      ${status === null ? null : fact('Rounds', `${status.rounds.used} of ${status.rounds.max}${grantedText(granted)}`)}
      ${status === null ? null : fact('Runs', `${status.runs.used} of ${status.runs.max}`)}
      ${status === null ? null : fact('Fixes', status.fixes)} ${status?.paused === true ? fact('Paused', 'yes') : null}
      ${fact('Spent', `${money(spent.usd)}, ${amountText(spent.tokens, 'token')}`)}
      ${view === null || view.spent === null ? null : fact('Spent according to the forge', money(view.spent.costUsd))}
      ${view === null ? null : fact('Last read', since(view.atMs, nowMs))}
    </dl>
  </section>
`;

const UNKNOWN = 'no state is stored; the next event or sweep reads it from the forge';

const fact = (name: string, value: Content): Content => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const leftText = (seconds: number | null): string => (seconds === null ? '' : `, ${duration(seconds)} left`);

const grantedText = (granted: number): string => (granted === 0 ? '' : ` (${granted} granted)`);

const threadsOf = ({ threads, moreThreads }: ChangeRequestView): Content => html`
  <section>
    <h2>Threads <span class="count">${threads.length + moreThreads}</span></h2>
    ${threads.length === 0 ? html`<p class="empty">No finding was reported.</p>` : null}
    ${moreThreads === 0 ? null : html`<p class="empty">The ${moreThreads} oldest are not shown.</p>`}
    <ul class="cards">
      ${threads.toReversed().map(thread)}
    </ul>
  </section>
`;

const STATE_TONES: Readonly<Record<string, Tone>> = { open: 'warn', resolved: 'good', vetoed: 'bad', escalated: 'bad' };

const thread = (one: ThreadView): Content => html`
  <li class="card">
    <p class="title">${outside(one.webUrl, one.title)}</p>
    <p class="facts">
      ${badge(one.severity, one.blocking ? 'bad' : 'calm')} ${badge(one.state, STATE_TONES[one.state] ?? 'calm')}
      <span>${one.id}</span>
      <code>${one.path}:${one.line}</code>
      <span>review ${one.review}</span>
      <span>${amountText(one.count, 'cycle')}</span>
      ${one.rule === null ? null : html`<span>rule <code>${one.rule}</code></span>`}
    </p>
  </li>
`;

const runsOf = ({ runs, view, nowMs, of }: ChangeRequestReading): Content => html`
  <section>
    <h2>Runs <span class="count">${runs.length}</span></h2>
    ${runs.length === 0 ? html`<p class="empty">No run is recorded.</p>` : null}
    <ol class="cards">
      ${runs.map((run) => runCard(run, { view, nowMs, path: `${pathOf(of)}/runs/${run.runId}` }))}
    </ol>
  </section>
`;

type RunFrame = { readonly view: ChangeRequestView | null; readonly nowMs: number; readonly path: string };

const resultFacts = ({ model, runner, findings, spent }: NonNullable<TimelineRun['summary']>): Content => html`
  <span>${model ?? runner ?? 'built-in rules'}</span>
  <span>${amountText(findings.length, 'finding')}</span>
  <span>${money(spent.costUsd)}</span>
  <span>${duration(spent.wallMs / 1000)}</span>
`;

const runCard = (run: TimelineRun, { view, nowMs, path }: RunFrame): Content => {
  const { summary } = run;
  const review = view?.reviews.find((each) => each.review === run.review && each.head === run.head) ?? null;
  const what = run.kind === 'reply' ? 'answers in threads of review' : 'review';
  return html`
    <li class="card">
      <p class="title"><a href="${path}">${what} ${run.review}, attempt ${run.attempt}</a></p>
      <p class="facts">
        ${review === null ? null : verdictBadge(review.verdict)}
        ${review === null || review.complete ? null : badge('incomplete', 'warn')}
        <code>${shaText(run.head)}</code>
        <span>started ${since(run.atMs, nowMs)}</span>
        ${summary === null ? html`<span>no draft is stored</span>` : resultFacts(summary)}
      </p>
      ${
        summary === null || summary.exceeded === null
          ? null
          : html`<p class="why">ended early: ${summary.exceeded} is used up</p>`
      }
      ${summary === null ? null : summary.receipts.map((line) => html`<p class="small">${line}</p>`)}
    </li>
  `;
};

const handoffsOf = ({ handoffs }: ChangeRequestView, nowMs: number): Content =>
  handoffs.length === 0
    ? null
    : html`<section>
        <h2>Hand-offs <span class="count">${handoffs.length}</span></h2>
        <ul class="plain">
          ${handoffs
            .toReversed()
            .map(({ review, reason, atMs }) => html`<li>${since(atMs, nowMs)}, review ${review}: ${reason}</li>`)}
        </ul>
      </section>`;

const decisionsOf = ({ decisions, nowMs }: ChangeRequestReading): Content => html`
  <section>
    <h2>Decisions <span class="count">${number(decisions.records.length)}</span></h2>
    ${decisions.records.length === 0 ? html`<p class="empty">No decision is stored.</p>` : null}
    ${decisions.olderGone ? html`<p class="empty">Older decisions are no longer stored.</p>` : null}
    <ol class="timeline">
      ${decisions.records.toReversed().map((record) => decision(record, nowMs))}
    </ol>
  </section>
`;

const decision = ({ atMs, effect, reason, head: at, events }: DecisionRecord, nowMs: number): Content => html`
  <li>
    <p class="facts">
      <strong>${effect.replaceAll('_', ' ')}</strong> ${since(atMs, nowMs)} <code>${shaText(at)}</code>
    </p>
    <p>${reason}</p>
    ${events.length === 0 ? null : html`<p class="small">because of ${events.join(', ')}</p>`}
  </li>
`;
