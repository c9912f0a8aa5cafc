/** One step of the story: the texts as they were at its end, what changed, and what it has cost. */
import { dollars } from '../../../../shared/rounds/plan/wording/cost-line.ts';
import { escapeHtml } from '../../forgejo/markdown.ts';
import { textBody } from '../../forgejo/page-parts.ts';
import { BOT } from '../forge.ts';
import { face } from '../review-parts.ts';
import type { Step, StepThread } from '../step.ts';
import { type DemoState, isPlaying } from './demo-state.ts';
import { frame } from './frame.ts';
import { commentCard, threadCard } from './thread-card.ts';

const costOf = (step: Step, before: Step | undefined): number => step.spent.costUsd - (before?.spent.costUsd ?? 0);

const cents = (usd: number): string => (usd > 0 && usd < 0.1 ? `${(usd * 100).toFixed(1)} ¢` : dollars(usd));

const meter = (state: DemoState, at: number): string => {
  const shown = state.steps.slice(0, at + 1);
  const parts = shown.map((step, index) => {
    const share = (costOf(step, shown[index - 1]) / state.limitUsd) * 100;
    return `<i${index === at ? ' class="now"' : ''} style="width:${share.toFixed(2)}%"></i>`;
  });
  const spent = state.steps[at]?.spent.costUsd ?? 0;
  const label = `Spent ${cents(spent)} of ${dollars(state.limitUsd)}`;
  return `<div class="meter" role="meter" aria-label="Cost of this change request" aria-valuemin="0" aria-valuemax="${state.limitUsd}" aria-valuenow="${spent.toFixed(4)}" aria-valuetext="${label}">${parts.join('')}</div>`;
};

const row = (name: string, value: string | number): string => `<dt>${name}</dt><dd>${escapeHtml(String(value))}</dd>`;

const cost = (state: DemoState, at: number, step: Step): string => {
  const { costUsd, modelCalls, inputTokens, cachedTokens, outputTokens } = step.spent;
  const now = costOf(step, state.steps[at - 1]);
  if (modelCalls === 0)
    return `<section class="card"><h3>Cost</h3><div class="big">$0</div><p>Only the built-in rules: no model was called.</p></section>`;
  const cached = inputTokens === 0 ? 0 : Math.round((cachedTokens / inputTokens) * 100);
  return `<section class="card"><h3>Cost of this change request</h3>
<div class="big">${cents(costUsd)} <small>of ${dollars(state.limitUsd)}</small></div>${meter(state, at)}
<dl>${row('this step', cents(now))}${row('calls of the model', modelCalls)}${row('tokens read', inputTokens.toLocaleString('en'))}${row('of these cached', `${cached} %`)}${row('tokens written', outputTokens.toLocaleString('en'))}</dl></section>`;
};

const count = (threads: readonly StepThread[], ...states: readonly StepThread['state'][]): number =>
  threads.filter(({ state }) => states.includes(state)).length;

const now = ({ threads, status, head, seconds }: Step): string =>
  `<section class="card status"><h3>Commit status</h3><span class="badge ${escapeHtml(status.state)}">${escapeHtml(status.state)}</span>
<p>${escapeHtml(status.text)}</p><dl>${row('commit', head.slice(0, 10))}${row('open', count(threads, 'open', 'unverified'))}${row('waits for a person', count(threads, 'vetoed', 'escalated'))}${row('resolved', count(threads, 'resolved', 'dismissed'))}${row('took', `${seconds.toFixed(1)} s`)}</dl></section>`;

const summary = ({ summary: { body, change } }: Step): string => {
  const word = change === 'changed' ? '<span class="tag fresh">edited in this step</span>' : '';
  return `<h3 class="part">The summary <span class="soft">one comment, kept up to date</span></h3>
<section class="card"><header>${face(BOT)} commented${word}</header>${textBody(body)}</section>`;
};

const plural = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`;

const group = (title: string, threads: readonly StepThread[], before: Step | undefined): string => {
  if (threads.length === 0) return '';
  const cards = threads.map((thread) =>
    threadCard(thread, before?.threads.find(({ id }) => id === thread.id)?.comments ?? []),
  );
  return `<h3 class="part">${title} <span class="soft">${plural(threads.length, 'thread')}</span></h3>${cards.join('')}`;
};

const same = (threads: readonly StepThread[]): string => {
  if (threads.length === 0) return '';
  const cards = threads.map((thread) => threadCard(thread, thread.comments));
  return `<details class="more"><summary>${plural(threads.length, 'other thread')}, as in the step before</summary><div class="inner">${cards.join('')}</div></details>`;
};

const conversation = (comments: Step['comments']): string =>
  comments.length === 0 ? '' : `<h3 class="part">In the conversation</h3>${comments.map(commentCard).join('')}`;

/** What needs the most attention comes first: claims of the model, and threads with an answer. */
const ordered = (threads: readonly StepThread[]): readonly StepThread[] => {
  const rank = ({ comments, rule }: StepThread): number => (comments.length > 1 ? 2 : 0) + (rule === null ? 1 : 0);
  return threads.toSorted((one, other) => rank(other) - rank(one));
};

const threadsOf = (step: Step, before: Step | undefined): string => {
  const of = (change: StepThread['change']): readonly StepThread[] =>
    ordered(step.threads.filter((thread) => thread.change === change));
  const opened = of('new');
  const byModel = opened.filter(({ rule }) => rule === null);
  const byRules = opened.filter(({ rule }) => rule !== null);
  return [
    group('Changed in this step', of('changed'), before),
    group('Found by the model', byModel, before),
    group(byModel.length === 0 ? 'Found by the rules' : 'Found by the rules, beside the model', byRules, before),
    same(of('same')),
  ].join('');
};

const body = (state: DemoState, at: number, step: Step): string => {
  const before = state.steps[at - 1];
  const kind = step.review === null ? 'Between two reviews' : `Review ${step.review}`;
  return `<div class="lead"><h2>${escapeHtml(step.name)} <small>${kind}</small></h2><p>${escapeHtml(step.what)}</p></div>
<div class="columns"><div>${threadsOf(step, before)}${conversation(step.comments)}${summary(step)}</div>
<aside class="side" aria-label="State at the end of this step">${now(step)}${cost(state, at, step)}</aside></div>`;
};

const waiting = (state: DemoState, at: number): string => {
  const name = state.steps.length === 0 ? 'The services review the change' : `Still to come: ${state.names[at] ?? ''}`;
  return `<div class="lead"><h2>${escapeHtml(name)}</h2><p>The story takes some seconds. This page fills itself: one tab per step, each with the texts as they are at that time.</p></div>${progress(state)}`;
};

const progress = (state: DemoState): string => {
  if (!isPlaying(state)) return '';
  const name = state.names[state.steps.length] ?? '';
  return `<div class="waiting"><span class="spin" aria-hidden="true"></span>Playing: ${escapeHtml(name)} …</div>`;
};

/** `at`: index of the step; before it is over, the page says what is going on. */
export const stepPage = (state: DemoState, at: number): string => {
  const step = state.steps[at];
  const live = isPlaying(state)
    ? `Step ${state.steps.length + 1} of ${state.names.length} is running`
    : 'The story is over';
  return step === undefined
    ? frame(state, { at, heading: state.title, body: waiting(state, at), live })
    : frame(state, { at, heading: step.name, body: `${body(state, at, step)}${progress(state)}`, live });
};
