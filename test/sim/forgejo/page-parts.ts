import { readHunk } from './diff-hunk.ts';
import { escapeHtml, renderMarkdown } from './markdown.ts';
import { pageStyle } from './page-style.ts';
import type { SimComment, SimUser, World } from './world.ts';

export const page = (title: string, body: string): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${pageStyle}</style></head><body><main>${body}
<footer>A simulated forge: everything here is shown without signing in.</footer></main></body></html>`;

export const time = (ms: number): string => {
  const iso = new Date(ms).toISOString();
  return `<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)}</time>`;
};

export const nameOf = (user: SimUser): string => escapeHtml(user.deleted ? 'Ghost' : user.login);

// Hues with enough contrast for white letters in both colour schemes.
const hues = [212, 262, 152, 18, 338, 190];

export const avatar = (user: SimUser): string => {
  const hue = hues[user.id % hues.length] ?? 212;
  const letter = nameOf(user).slice(0, 1).toUpperCase();
  return `<span class="avatar" style="background:hsl(${hue} 48% 42%)">${letter}</span>`;
};

export const textBody = (text: string): string => {
  const html = renderMarkdown(text);
  return `<div class="body">${html === '' ? '<p class="empty">No text.</p>' : html}</div>`;
};

const marks: Readonly<Record<string, string>> = { '+': 'add', '-': 'del' };

export const excerpt = (hunk: string): string => {
  const [header = '', ...body] = hunk.split('\n');
  const lines = readHunk(header, body);
  const rows = lines.map((line, index) => {
    const kind = [marks[line.mark] ?? '', index === lines.length - 1 ? 'here' : ''].join(' ').trim();
    const old = line.mark === '+' ? '' : String(line.old);
    const current = line.mark === '-' ? '' : String(line.new);
    return `<tr class="${kind}"><td class="no">${old}</td><td class="no">${current}</td><td class="text">${escapeHtml(`${line.mark} ${line.text.slice(1)}`)}</td></tr>`;
  });
  return `<table class="lines">${rows.join('')}</table>`;
};

const said = (comment: SimComment): string =>
  `<div class="said" id="issuecomment-${comment.id}"><header>${avatar(comment.author)}<b>${nameOf(comment.author)}</b>${time(comment.createdAt)}</header>${textBody(comment.body)}</div>`;

/** Comments of one conversation have the same review, path and stored line (Forgejo models/issues/comment_code.go). */
export const thread = (comments: readonly SimComment[]): string => {
  const code = comments[0]?.code;
  if (code === undefined || code === null) return '';
  const side = code.line < 0 ? 'old' : 'new';
  const resolver = comments.find((comment) => comment.resolver !== null)?.resolver;
  const state = resolver === undefined || resolver === null ? '' : `resolved by ${nameOf(resolver)}`;
  const where = `<div class="where"><b>${escapeHtml(code.path)}</b><span class="soft">line ${Math.abs(code.sentLine)} (${side})</span><span class="state">${state}</span></div>`;
  const lines =
    code.diffHunk === '' ? '<div class="body soft">This line is not part of the diff.</div>' : excerpt(code.diffHunk);
  return `<div class="thread">${where}${lines}${comments.map(said).join('')}</div>`;
};

export const link = (world: World, path: string, label: string): string =>
  `<a href="${escapeHtml(world.publicUrl + path)}">${label}</a>`;
