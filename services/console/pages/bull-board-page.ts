import type { Board } from '../bull-board/board.ts';
import { dataBlock, html, render } from './html.ts';

/** What the script of bull-board expects of the page that loads it. */
export const bullBoardPage = ({ styles, scripts, config }: Board['look'], at: string): string =>
  render(html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <base href="${at}/" />
        <title>Jobs · Fixpoint</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" id="fav-logo" />
        ${styles.map((name) => html`<link rel="stylesheet" href="${`static/${name}`}" />`)}
        ${scripts.map((name) => html`<script src="${`static/${name}`}" defer></script>`)}
      </head>
      <body>
        ${dataBlock('__UI_CONFIG__', config)}
        <div id="root"></div>
        <noscript>
          <p>bull-board needs JavaScript. The page <a href="/queues">Queues</a> works without it.</p>
        </noscript>
      </body>
    </html>
  `);
