/**
 * Removes quotes, code (except for ids of findings), HTML, addresses and alternative text of images from a comment. It uses a
 * real parser, because a comment that only shows a command must not run the command.
 */
import { fromMarkdown } from 'mdast-util-from-markdown';
import { createHtmlQuoteTags } from './html-quote-tags.ts';
import { boundMarkdown } from './bound-markdown.ts';

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root | Root['children'][number];
/** Offsets in the text; `end` is exclusive. */
type Range = { readonly start: number; readonly end: number };

/** Replaces removed text, so that the text after it does not seem to begin a line. */
export const LEFT_OUT = '\uFFFC';

/** Parsing emphasis takes quadratic time and is not needed here, so it is disabled. */
const READ = { extensions: [{ disable: { null: ['attention', 'characterReference'] } }] };

/** Replaces each removed part with `LEFT_OUT`, and drops lines that contain nothing else. Escapes stay as written. */
export const stripQuotedText = (body: string): readonly string[] => {
  const whole = body.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  const source = boundMarkdown(whole);
  return leaveOut(source, foreignRanges(source, source.length < whole.length))
    .split('\n')
    .filter((line) => line.trim() !== LEFT_OUT);
};

const leaveOut = (source: string, ranges: readonly Range[]): string => {
  const kept: string[] = [];
  let at = 0;
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    kept.push(source.slice(at, start), LEFT_OUT);
    at = end;
  }
  return [...kept, source.slice(at)].join('');
};

/** Returns the ranges to remove; they are unordered and not nested. Iterative, because anyone can write deeply nested text. */
const foreignRanges = (source: string, isCut: boolean): readonly Range[] => {
  const tags = createHtmlQuoteTags();
  const found: Range[] = [];
  const ahead: Node[] = [fromMarkdown(source, READ)];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    if (node.type === 'html') tags.read(node.value);
    const foreign = foreignPart(node, source, tags.isOpen());
    if (foreign !== null) found.push(foreign);
    if (!('children' in node) || foreign?.start === rangeOf(node).start) continue;
    const { own, quoted } = splitLongQuotes(node.children, source, isCut);
    found.push(...quoted);
    ahead.push(...own.toReversed());
  }
  return found;
};

const FOREIGN: ReadonlySet<Node['type']> = new Set(['blockquote', 'code', 'definition', 'html', 'inlineCode']);

/** An id in a code span is not an example of a command: people write it as the bot shows it. */
const isFindingId = (node: Node): boolean => node.type === 'inlineCode' && /^f[-‐‑–]\d{1,6}$/iu.test(node.value);

/** Returns the range to remove: the node, or the address of a link. Null if nothing has to be removed. */
const foreignPart = (node: Node, source: string, quoted: boolean): Range | null => {
  if (FOREIGN.has(node.type)) return isFindingId(node) && !quoted ? null : rangeOf(node);
  if (node.type === 'text') return quoted ? rangeOf(node) : null;
  if (node.type === 'image' || node.type === 'imageReference') return callingPart(rangeOf(node), source);
  return node.type === 'link' || node.type === 'linkReference' ? callingPart(addressOf(node, source), source) : null;
};

/** Removes only an address with `@`, because it could contain a mention. */
const callingPart = (range: Range, source: string): Range | null =>
  source.slice(range.start, range.end).includes('@') ? range : null;

const addressOf = (link: Extract<Node, { type: 'link' | 'linkReference' }>, source: string): Range => {
  const { start, end } = rangeOf(link);
  const last = link.children.at(-1);
  return last === undefined || source[start] === '<' ? { start, end } : { start: rangeOf(last).end, end };
};

const rangeOf = ({ position }: Node): Range => ({
  start: position?.start.offset ?? 0,
  end: position?.end.offset ?? 0,
});

/**
 * Finds GitLab's multi-line quotes: from a line of three or more `>` to the next line with as many, or to the end of a cut
 * text. https://docs.gitlab.com/user/markdown/#multiline-blockquote
 */
const splitLongQuotes = (
  nodes: readonly Node[],
  source: string,
  isCut: boolean,
): { own: readonly Node[]; quoted: readonly Range[] } => {
  const signs = nodes.map((node) => (node.type === 'blockquote' ? longQuoteSign(node, source) : null));
  const own: Node[] = [];
  const quoted: Range[] = [];
  for (let index = 0; index < nodes.length; index += 1) {
    const node = nodes[index];
    if (node === undefined) continue;
    const sign = signs[index] ?? null;
    const last = sign !== null && isCut ? nodes.at(-1) : undefined;
    const end = nodes[sign === null ? -1 : signs.indexOf(sign, index + 1)] ?? last;
    if (end === undefined) own.push(node);
    else {
      quoted.push({ start: rangeOf(node).start, end: rangeOf(end).end });
      index = nodes.indexOf(end, index);
    }
  }
  return { own, quoted };
};

const longQuoteSign = (quote: Node, source: string): string | null => {
  const { start, end } = rangeOf(quote);
  return /^(>{3,})[ \t]*(?:\n|$)/.exec(source.slice(start, end))?.[1] ?? null;
};
