/** A bar for each day, drawn on the server. The table below it has the same numbers. */
import { type Content, html } from './html.ts';
import { money } from './words.ts';

export type Bar = { readonly day: string; readonly usd: number };

const [WIDTH, HEIGHT, BOTTOM] = [720, 160, 20] as const;

export const barChart = (bars: readonly Bar[]): Content => {
  const highest = Math.max(...bars.map(({ usd }) => usd), 0);
  if (highest === 0) return null;
  const step = WIDTH / bars.length;
  const bar = ({ day, usd }: Bar, index: number): Content => {
    const height = Math.max(usd > 0 ? 1 : 0, ((HEIGHT - BOTTOM) * usd) / highest);
    const [x, y] = [index * step + step * 0.1, HEIGHT - BOTTOM - height].map((at) => at.toFixed(1));
    return html`<rect class="bar" x="${x ?? ''}" y="${y ?? ''}" width="${(step * 0.8).toFixed(1)}" height="${height.toFixed(1)}"><title>${day}: ${money(usd)}</title></rect>`;
  };
  const text = `Costs per day from ${bars[0]?.day ?? ''} to ${bars.at(-1)?.day ?? ''}; the highest is ${money(highest)}.`;
  return html`
    <figure>
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${text}">
        ${bars.map(bar)}
        <line class="axis" x1="0" y1="${HEIGHT - BOTTOM}" x2="${WIDTH}" y2="${HEIGHT - BOTTOM}" />
        <text x="0" y="${HEIGHT - 4}">${bars[0]?.day ?? ''}</text>
        <text x="${WIDTH}" y="${HEIGHT - 4}" text-anchor="end">${bars.at(-1)?.day ?? ''}</text>
      </svg>
      <figcaption>The highest day cost ${money(highest)}.</figcaption>
    </figure>
  `;
};
