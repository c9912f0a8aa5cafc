/** Small texts that several pages show. */
import { html, type Content } from './html.ts';

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** `2 d 3 h`, `4 min`, `12 s`. */
export const duration = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds));
  const at = UNITS.findIndex(([size]) => whole >= size);
  const [size, name] = UNITS[at] ?? [1, 's'];
  const first = `${Math.floor(whole / size)} ${name}`;
  const next = UNITS[at + 1];
  if (at < 0 || size === 60 || next === undefined) return first;
  const rest = Math.floor((whole % size) / next[0]);
  return rest === 0 ? first : `${first} ${rest} ${next[1]}`;
};

/** How long ago, with the exact time for a pointer and for programs. */
export const since = (atMs: number, nowMs: number): Content => {
  const iso = new Date(atMs).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${duration((nowMs - atMs) / 1000)} ago</time>`;
};

export const money = (usd: number): string => `$${usd.toFixed(usd < 1 ? 4 : 2)}`;

const GROUPED = new Intl.NumberFormat('en-US');

export const number = (value: number): string => GROUPED.format(value);

export const amountText = (count: number, what: string): string => `${number(count)} ${what}${count === 1 ? '' : 's'}`;

export const shaText = (sha: string | null): string => sha?.slice(0, 10) ?? '–';

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'calm';

/** A word with a colour. The word alone says everything. */
export const badge = (text: string, tone: Tone): Content => html`<span class="${`badge ${tone}`}">${text}</span>`;

export const verdictBadge = (verdict: string | null): Content => {
  if (verdict === null) return badge('no verdict', 'calm');
  const tones: Readonly<Record<string, Tone>> = { lgtm: 'good', feedback: 'bad', inconclusive: 'warn' };
  return badge(verdict, tones[verdict] ?? 'calm');
};
