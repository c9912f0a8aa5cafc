/** The page with the button that kills the poster, and what became of the review. */
import { escapeHtml } from '../../forgejo/markdown.ts';
import { type Count, isSaidOnce, type KillState } from '../kill.ts';
import { KILL_DEFECTS } from '../kill-seeds.ts';
import { type DemoState, isKilling } from './demo-state.ts';
import { frame } from './frame.ts';

const button = (state: DemoState, token: string): string => {
  const isOff = isKilling(state) || state.killsLeft === 0;
  const again = state.kill === null ? 'Kill the poster in mid-post' : 'Do it again';
  const label = isKilling(state) ? 'It is running …' : again;
  return `<form method="post" action="/kill"><input type="hidden" name="token" value="${escapeHtml(token)}">
<button class="kill" id="kill"${isOff ? ' disabled' : ''}>${label}</button></form>`;
};

const lead = (state: DemoState): string =>
  `<div class="lead"><h2>Kill the poster</h2><p>Only one service writes to the forge: the poster, here process ${state.posterPid}. The button opens another change request with ${KILL_DEFECTS} defects and sends the poster <code>kill -9</code> when the forge has taken half of the comments, before it answers. A new poster does not know what was said: it reads the forge, and writes only what is missing.</p></div>`;

const NAMES: Readonly<Record<string, string>> = { killed: 'killed', done: 'done' };

const eventClass = ({ phase, events }: KillState, at: number): string => {
  if (events[at]?.text.startsWith('kill -9') === true) return NAMES['killed'] ?? '';
  if (at < events.length - 1) return '';
  if (phase === 'failed') return 'killed';
  return NAMES[phase] === 'done' ? 'done' : '';
};

const log = (kill: KillState): string => {
  const rows = kill.events.map(
    ({ seconds, text }, at) =>
      `<li class="${eventClass(kill, at)}"><time>${seconds.toFixed(1)} s</time><span>${escapeHtml(text)}</span></li>`,
  );
  const link = kill.url === null ? '' : ` · <a href="${escapeHtml(kill.url)}">see it on the forge</a>`;
  return `<h3 class="part">What happened <span class="soft">attempt ${kill.attempt}${link}</span></h3><section class="card"><ol class="log">${rows.join('')}</ol></section>`;
};

const timesClass = (times: number): string => {
  if (times === 0) return 'none';
  return times === 1 ? 'once' : 'many';
};

const countRow = ({ what, where, times }: Count): string =>
  `<tr><th scope="row">${escapeHtml(what)}</th><td><code>${escapeHtml(where)}</code></td><td class="times ${timesClass(times)}">${times} ×</td></tr>`;

const missing = ({ counts }: KillState): readonly Count[] =>
  Array.from({ length: Math.max(0, KILL_DEFECTS + 1 - counts.length) }, () => ({
    what: 'not there yet',
    where: '…',
    times: 0,
  }));

const counts = (kill: KillState): string =>
  `<h3 class="part">On the forge <span class="soft">how often each text of the bot is there</span></h3>
<section class="card"><table class="counts"><thead><tr><th scope="col">Text</th><th scope="col">Where</th><th scope="col" class="times">Times</th></tr></thead>
<tbody>${[...kill.counts, ...missing(kill)].map(countRow).join('')}</tbody></table></section>`;

const said = ({ kill }: DemoState): string => {
  if (kill === null) return 'The poster is running';
  if (kill.phase === 'done' && isSaidOnce(kill)) return 'Each text is on the forge exactly once';
  return kill.events.at(-1)?.text ?? 'A change request is being opened';
};

/** `token` proves that a request comes from this page. */
export const killPage = (state: DemoState, token: string): string => {
  const { kill } = state;
  const shown = kill === null ? '' : `${log(kill)}${counts(kill)}`;
  return frame(state, {
    at: null,
    heading: 'Kill the poster',
    body: `${lead(state)}${button(state, token)}${shown}`,
    live: said(state),
  });
};
