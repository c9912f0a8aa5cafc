/** The frame of every page: the head, the tabs, and the way to the next step. */
import { escapeHtml } from '../../forgejo/markdown.ts';
import { pageStyle } from '../../forgejo/page-style.ts';
import { STYLE } from '../review-parts.ts';
import { type DemoState, isKilling, isPlaying, pathOf, type Tab } from './demo-state.ts';
import { demoStyle } from './demo-style.ts';

const KILL_NAME = 'Kill the poster';

const SHARED_STYLE = STYLE.replaceAll(/<\/?style>/g, '');

const WORDS: Readonly<Record<string, string>> = {
  lgtm: 'passed',
  feedback: 'problems to fix',
  inconclusive: 'no verdict',
};

const tabOf = (tab: Tab, { at, name, dot, words }: { at: Tab; name: string; dot: string; words: string }): string => {
  const current = tab === at ? ' aria-current="page"' : '';
  const hidden = words === '' ? '' : `<span class="hidden">: ${escapeHtml(words)}</span>`;
  return `<li><a id="tab-${tab ?? 'kill'}" href="${pathOf(tab)}"${current}><span class="dot ${dot}"></span><span>${escapeHtml(name)}${hidden}</span></a></li>`;
};

const tabs = (state: DemoState, at: Tab): string => {
  const items = state.names.map((name, index) => {
    const step = state.steps[index];
    const label = `${index + 1} ${name}`;
    return step === undefined
      ? `<li><span class="off"><span class="dot wait"></span>${escapeHtml(label)}</span></li>`
      : tabOf(index, { at, name: label, dot: escapeHtml(step.verdict), words: WORDS[step.verdict] ?? step.verdict });
  });
  const kill = isPlaying(state)
    ? `<li><span class="off"><span class="dot wait"></span>${KILL_NAME}</span></li>`
    : tabOf(null, { at, name: KILL_NAME, dot: 'kill', words: '' });
  return `<nav class="tabs" aria-label="Steps"><ol>${items.join('')}${kill}</ol></nav>`;
};

const nextOf = (state: DemoState, at: Tab): Tab | undefined => {
  if (at === null) return undefined;
  if (at + 1 < state.steps.length) return at + 1;
  return isPlaying(state) ? undefined : null;
};

const beforeOf = (state: DemoState, at: Tab): Tab | undefined => {
  const before = at === null ? state.steps.length - 1 : at - 1;
  return before < 0 ? undefined : before;
};

const stepName = ({ names }: DemoState, tab: Tab): string => (tab === null ? KILL_NAME : (names[tab] ?? ''));

const steps = (state: DemoState, at: Tab): string => {
  const [before, next] = [beforeOf(state, at), nextOf(state, at)];
  const back =
    before === undefined
      ? '<span></span>'
      : `<a id="before" rel="prev" href="${pathOf(before)}">← ${escapeHtml(stepName(state, before))}</a>`;
  const on =
    next === undefined
      ? ''
      : `<a id="next" class="next" rel="next" href="${pathOf(next)}">${escapeHtml(stepName(state, next))} →</a>`;
  return `<div class="steps">${back}${on}</div>`;
};

const top = ({ title, change, forgeUrl }: DemoState): string => {
  const where =
    change === null
      ? `<a href="${escapeHtml(forgeUrl)}">The simulated forge</a>`
      : `<a href="${escapeHtml(change.url)}">See it on the simulated forge</a>`;
  const number = change === null ? '' : ` <span class="number">#${change.number}</span>`;
  return `<header class="top"><h1>${escapeHtml(title)}${number}</h1><p>The Fixpoint demo: real services, a simulated forge</p>${where}</header>`;
};

const HIDDEN =
  '.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }';

export type Page = { readonly at: Tab; readonly heading: string; readonly body: string; readonly live: string };

/** `live`: one sentence that screen readers hear when it changes. While something runs, the page keeps itself up to date. */
export const frame = (state: DemoState, { at, heading, body, live }: Page): string => {
  const isLive = isPlaying(state) || isKilling(state);
  const refresh = isLive ? '<noscript><meta http-equiv="refresh" content="2"></noscript>' : '';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(heading)} · Fixpoint demo</title>${refresh}<link rel="icon" href="data:,">
<style>${pageStyle}${SHARED_STYLE}${demoStyle}${HIDDEN}</style><script src="/demo.js" defer></script></head>
<body data-live="${isLive}"><a class="skip" href="#content">Skip to the content</a>
<p class="hidden" role="status" id="live">${escapeHtml(live)}</p>
<main id="page">${top(state)}${tabs(state, at)}<div id="content" tabindex="-1">${body}${steps(state, at)}</div>
<footer>Everything here runs on this machine; the model's answers are recorded. ← and → step through.</footer></main></body></html>`;
};
