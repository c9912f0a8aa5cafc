/** What all pictures share: the style, and who speaks. */
import { escapeHtml } from '../forgejo/markdown.ts';
import { avatar } from '../forgejo/page-parts.ts';
import { BOT } from './forge.ts';

export const STYLE = `<style>
main { max-width: none; padding: 26px 30px 24px; }
.lead { margin-bottom: 18px; padding-bottom: 14px; }
.tag { border: 1px solid var(--line); border-radius: 999px; padding: 0 8px; font-size: 12px; color: var(--soft); }
.body h3 { margin-top: 0; }
.body table { width: 100%; }
.card .thread { border: 0; border-radius: 0; margin: 0; }
.thread > .where { padding: 8px 16px; } .thread .said > header { padding: 10px 16px 0; }
.thread .said .body { padding: 6px 16px 12px; }
.checks li > b { min-width: 70px; }
footer { margin-top: 14px; }
</style>`;

export const face = (login: string): string =>
  `${avatar({ id: login === BOT ? 0 : 1, login, isAdmin: false, deleted: false })}<b>${escapeHtml(login)}</b>${login === BOT ? '<span class="tag">bot</span>' : ''}`;
