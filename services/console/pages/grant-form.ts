import { type Content, html } from './html.ts';

export type GrantFrame = {
  readonly path: string;
  /** The value for forms; null if the visitor may not act. */
  readonly csrf: string | null;
  /** What the last action did. Null if there was none. */
  readonly said: string | null;
  /** Different on each page that is shown. */
  readonly wish: string;
};

export const grantForm = ({ path, csrf, said, wish }: GrantFrame): Content => html`
  <section>
    ${said === null ? null : html`<p class="notice calm" role="status">${said}</p>`}
    ${
      csrf === null
        ? null
        : html`<form class="row" method="post" action="${path}/grant">
            <input type="hidden" name="csrf" value="${csrf}" />
            <input type="hidden" name="wish" value="${wish}" />
            <button class="quiet" type="submit">Grant a round</button>
            <span class="small">reviews the whole change again, one round beyond the limit</span>
          </form>`
    }
  </section>
`;
