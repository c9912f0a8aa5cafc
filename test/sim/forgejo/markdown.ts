/**
 * A small Markdown renderer for comments. It is safe, because all text is escaped before HTML is added. Hidden comments
 * are removed, as on the real page.
 */

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

// Placeholders for finished parts; `inert` removes these private-use characters from the input.
const open = '\uE000';
const shut = '\uE001';
const inert = (text: string): string => text.replaceAll(/[\uE000\uE001]/g, '');

const link = (label: string, target: string): string => `<a href="${target}" rel="nofollow noopener">${label}</a>`;

const emphasized = (html: string): string =>
  html
    .replaceAll(/\*\*(\S(?:.*?\S)?)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/~~(\S(?:.*?\S)?)~~/g, '<del>$1</del>')
    .replaceAll(/(?<![*\w])\*(\S(?:.*?\S)?)\*(?![*\w])/g, '<em>$1</em>')
    .replaceAll(/(?<![_\w])_(\S(?:.*?\S)?)_(?![_\w])/g, '<em>$1</em>');

/** Renders inline text. Escapes and code spans are replaced by placeholders before emphasis is parsed. */
export const renderInline = (text: string): string => {
  const kept: string[] = [];
  const keep = (html: string): string => `${open}${kept.push(html) - 1}${shut}`;
  const html = escapeHtml(inert(text))
    .replaceAll(/(`+)(?!`)(.+?)(?<!`)\1(?!`)/g, (_, _ticks: string, code: string) =>
      keep(`<code>${code.trim()}</code>`),
    )
    .replaceAll(/\\([!-/:-@[-`{-~])/g, (_, character: string) => keep(character))
    .replaceAll(/\[([^\][]+)\]\((https?:\/\/[^\s()\uE000\uE001]+)\)/g, (_, label: string, target: string) =>
      keep(link(emphasized(label), target)),
    )
    .replaceAll(/(?<![\w"])https?:\/\/[^\s<>()\uE000\uE001]+[^\s<>().,:;!?\uE000\uE001]/g, (target) =>
      keep(link(target, target)),
    );
  const restore = (part: string): string =>
    part.replaceAll(/\uE000(\d+)\uE001/g, (_, index: string) => restore(kept[Number(index)] ?? ''));
  return restore(emphasized(html));
};

type Fence = { readonly mark: string; readonly info: string };

const fenceOf = (line: string): Fence | null => {
  const match = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*$/.exec(line);
  return match === null ? null : { mark: match[1] ?? '', info: match[2] ?? '' };
};

const closes = (line: string, fence: Fence): boolean => {
  const match = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return match !== undefined && match[0] === fence.mark[0] && match.length >= fence.mark.length;
};

/** Neither forge applies suggestions: such a fence is shown as ordinary code (forges.md 1). */
const renderFence = (fence: Fence, lines: readonly string[]): string => {
  const caption = fence.info === '' ? '' : `<figcaption>${escapeHtml(fence.info)}</figcaption>`;
  return `<figure class="code">${caption}<pre><code>${escapeHtml(lines.join('\n'))}</code></pre></figure>`;
};

type Cursor = { readonly lines: readonly string[]; at: number };

const takeWhile = (cursor: Cursor, wanted: (line: string) => boolean): string[] => {
  const start = cursor.at;
  while (cursor.at < cursor.lines.length && wanted(cursor.lines[cursor.at] ?? '')) cursor.at += 1;
  return cursor.lines.slice(start, cursor.at);
};

const takeFence = (cursor: Cursor, fence: Fence): string => {
  cursor.at += 1;
  const body = takeWhile(cursor, (line) => !closes(line, fence));
  cursor.at += 1;
  return renderFence(fence, body);
};

const bullet = /^ {0,3}(?:[-*+]|(\d{1,9})[.)])[ \t]+/;

const checkbox = (_: string, mark: string): string => (mark === ' ' ? '☐ ' : '☑ ');

const takeList = (cursor: Cursor): string => {
  const ordered = bullet.exec(cursor.lines[cursor.at] ?? '')?.[1] !== undefined;
  const items: string[] = [];
  while (cursor.at < cursor.lines.length && bullet.test(cursor.lines[cursor.at] ?? '')) {
    const first = (cursor.lines[cursor.at] ?? '').replace(bullet, '').replace(/^\[([ x])\] /i, checkbox);
    cursor.at += 1;
    const rest = takeWhile(
      cursor,
      (line) => /^ {2,}\S/.test(line) || (line === '' && /^ {2,}\S/.test(cursor.lines[cursor.at + 1] ?? '')),
    );
    items.push(`<li>${renderBlocks([first, ...rest.map((line) => line.replace(/^ {2,4}/, ''))], true)}</li>`);
  }
  return ordered ? `<ol>${items.join('')}</ol>` : `<ul>${items.join('')}</ul>`;
};

const cells = (line: string): readonly string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

const row = (tag: string, line: string): string =>
  `<tr>${cells(line)
    .map((cell) => `<${tag}>${renderInline(cell.replaceAll(String.raw`\|`, '|'))}</${tag}>`)
    .join('')}</tr>`;

const takeTable = (cursor: Cursor): string => {
  const [head = '', , ...body] = takeWhile(cursor, (line) => line.includes('|'));
  return `<table><thead>${row('th', head)}</thead><tbody>${body.map((line) => row('td', line)).join('')}</tbody></table>`;
};

const startsBlock = (line: string): boolean =>
  line.trim() === '' ||
  /^ {0,3}(?:#{1,6} |>|(?:[-*_] *){3,}$)/.test(line) ||
  bullet.test(line) ||
  fenceOf(line) !== null ||
  folding(line) !== null;

/** The only HTML that is kept: a fold, on its own line. */
const folding = (line: string): string | null => {
  const trimmed = line.trim();
  if (/^<details( open)?>$/.test(trimmed) || trimmed === '</details>') return trimmed;
  const summary = /^<summary>(.*)<\/summary>$/.exec(trimmed)?.[1];
  if (summary !== undefined) return `<summary>${renderInline(summary.replaceAll(/<\/?[a-z]+>/g, ''))}</summary>`;
  const both = /^<details><summary>(.*)<\/summary>$/.exec(trimmed)?.[1];
  return both === undefined ? null : `<details><summary>${renderInline(both)}</summary>`;
};

const isTable = (cursor: Cursor): boolean =>
  (cursor.lines[cursor.at] ?? '').includes('|') &&
  /^[\s|:-]+$/.test(cursor.lines[cursor.at + 1] ?? '') &&
  (cursor.lines[cursor.at + 1] ?? '').includes('-');

const takeParagraph = (cursor: Cursor, tight: boolean): string => {
  const [first = ''] = cursor.lines.slice(cursor.at);
  cursor.at += 1;
  const text = [first, ...takeWhile(cursor, (line) => !startsBlock(line))].map(renderInline).join('<br>');
  return tight ? text : `<p>${text}</p>`;
};

const takeBlock = (cursor: Cursor, tight: boolean): string => {
  const line = cursor.lines[cursor.at] ?? '';
  const fence = fenceOf(line);
  if (fence !== null) return takeFence(cursor, fence);
  const heading = /^ {0,3}(#{1,6}) +(.*?) *#*$/.exec(line);
  const fold = folding(line);
  if (heading !== null || fold !== null || /^ {0,3}(?:[-*_] *){3,}$/.test(line)) {
    cursor.at += 1;
    if (fold !== null) return fold;
    const level = Math.min(6, (heading?.[1]?.length ?? 0) + 2);
    return heading === null ? '<hr>' : `<h${level}>${renderInline(heading[2] ?? '')}</h${level}>`;
  }
  if (/^ {0,3}>/.test(line)) {
    const quoted = takeWhile(cursor, (next) => /^ {0,3}>/.test(next));
    return `<blockquote>${renderBlocks(
      quoted.map((next) => next.replace(/^ {0,3}> ?/, '')),
      false,
    )}</blockquote>`;
  }
  if (bullet.test(line)) return takeList(cursor);
  return isTable(cursor) ? takeTable(cursor) : takeParagraph(cursor, tight);
};

const renderBlocks = (lines: readonly string[], tight: boolean): string => {
  const cursor: Cursor = { lines, at: 0 };
  const blocks: string[] = [];
  while (cursor.at < lines.length) {
    if ((lines[cursor.at] ?? '').trim() === '') cursor.at += 1;
    else blocks.push(takeBlock(cursor, tight));
  }
  return blocks.join('\n');
};

/** Removes hidden comments outside code; everything else that looks like HTML is shown as text. */
const withoutHidden = (text: string): string => {
  let fence: Fence | null = null;
  const kept: string[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    const opened = fenceOf(line);
    if (fence === null && opened !== null) fence = opened;
    else if (fence !== null && closes(line, fence)) fence = null;
    kept.push(fence === null ? line.replaceAll(/<!--.*?-->/g, '') : line);
  }
  return kept.join('\n');
};

export const renderMarkdown = (text: string): string => renderBlocks(withoutHidden(text).split('\n'), false);
