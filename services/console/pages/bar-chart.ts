/** A bar for each day, drawn on the server. The table below it has the same numbers. */
import { type Content, html } from './html.ts';
import { money } from './words.ts';

export type Bar = { readonly day: string; readonly usd: number };

const [WIDTH, HEIGHT] = [720, 140] as const;

export const barChart = (bars: readonly Bar[]): Content => {
  const highest = Math.max(...bars.map(({ usd }) => usd), 0);
  if (highest === 0) return null;
  const step = WIDTH / bars.length;
  const bar = ({ day, usd }: Bar, index: number): Content => {
    const height = Math.max(usd > 0 ? 1 : 0, (HEIGHT * usd) / highest);
    const [x, y] = [index * step + step * 0.1, HEIGHT - height].map((at) => at.toFixed(1));
    return html`<rect class="bar" x="${x ?? ''}" y="${y ?? ''}" width="${(step * 0.8).toFixed(1)}" height="${height.toFixed(1)}"><title>${day}: ${money(usd)}</title></rect>`;
  };
  const text = `Costs per day from ${bars[0]?.day ?? ''} to ${bars.at(-1)?.day ?? ''}; the highest is ${money(highest)}.`;
  // The days are text of the page: text of the drawing would shrink with it on a phone.
  return html`
    <h2>Per day</h2>
    <figure>
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${text}">
        ${bars.map(bar)}
        <line class="axis" x1="0" y1="${HEIGHT}" x2="${WIDTH}" y2="${HEIGHT}" />
      </svg>
      <figcaption>
        <span>${bars[0]?.day ?? ''}</span>
        <span>the highest day cost ${money(highest)}</span>
        <span>${bars.at(-1)?.day ?? ''}</span>
      </figcaption>
    </figure>
  `;
};
