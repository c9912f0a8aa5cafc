import { html, type Content, render } from './html.ts';

export type Frame = {
  readonly title: string;
  /** The path of the entry of the navigation. */
  readonly at: string;
  /** Null on a page that needs no login. */
  readonly visitor: { readonly scope: string; readonly csrf: string | null; readonly seesAll: boolean } | null;
  /** If set, a browser without scripts loads the page again after this time. */
  readonly reloadS?: number;
  /** If set, the browser goes to this path at once. */
  readonly goTo?: string;
  /** If set, the page's live part is replaced whenever it changes. */
  readonly isLive?: boolean;
  readonly version: string;
};

type Entry = readonly [path: string, name: string];

const ENTRIES: readonly Entry[] = [
  ['/', 'Now'],
  ['/change-requests', 'Change requests'],
  ['/projects', 'Projects'],
  ['/cost', 'Cost'],
];

/** Pages about the whole installation. */
const OPERATOR_ENTRIES: readonly Entry[] = [
  ['/queues', 'Queues'],
  ['/health', 'Health'],
  ['/actions', 'Actions'],
];

export const page = (frame: Frame, content: Content): string => {
  const { title, visitor, reloadS, goTo, isLive = false, version } = frame;
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Fixpoint</title>
        <link rel="stylesheet" href="/assets/style.css" />
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        ${reloadS === undefined ? null : html`<noscript><meta http-equiv="refresh" content="${reloadS}" /></noscript>`}
        ${goTo === undefined ? null : html`<meta http-equiv="refresh" content="${`0; url=${goTo}`}" />`}
        ${isLive ? html`<script src="/assets/live.js" defer></script>` : null}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="top">
          <a class="brand" href="/">Fixpoint</a>
          ${visitor === null ? null : navigation(frame.at, visitor.seesAll)}
          ${visitor === null ? null : leaving(visitor)}
        </header>
        <main id="content" tabindex="-1">${content}</main>
        <footer><p>Fixpoint ${version}</p></footer>
      </body>
    </html>
  `;
  return render(document);
};

const navigation = (at: string, seesAll: boolean): Content => html`
  <nav aria-label="Pages">
    <ul>
      ${[...ENTRIES, ...(seesAll ? OPERATOR_ENTRIES : [])].map(
        ([path, name]) =>
          html`<li><a href="${path}" ${path === at ? html`aria-current="page"` : null}>${name}</a></li>`,
      )}
    </ul>
  </nav>
`;

/** With a token in the request, there is no session to end. */
const leaving = ({ scope, csrf }: NonNullable<Frame['visitor']>): Content =>
  csrf === null
    ? null
    : html`<form class="leave" method="post" action="/logout">
        <input type="hidden" name="csrf" value="${csrf}" />
        <span class="scope">${scope === 'write' ? 'may act' : 'read only'}</span>
        <button class="quiet" type="submit">Log out</button>
      </form>`;
