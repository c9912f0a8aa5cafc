/**
 * Finds markup that a renderer would interpret, by an independent and deliberately simple parser: only fences at column 0
 * and code spans within one paragraph (within one cell, in lines with a pipe) count as code.
 */
type Rule = { readonly name: string; readonly pattern: RegExp };

const RULES: readonly Rule[] = [
  { name: 'html', pattern: /<[a-z/!?]/i },
  { name: 'entity', pattern: /&(?:#|[a-z])[a-z0-9]*;/i },
  { name: 'image', pattern: /!\[/ },
  { name: 'definition', pattern: /\]:/ },
  { name: 'contents', pattern: /\[\[|\[toc\]/i },
  { name: 'reference', pattern: /[#!&]\d/ },
  { name: 'reference to a snippet', pattern: /\$\d/ },
  { name: 'reference to a label', pattern: /~[\w"]/ },
  { name: 'reference to a milestone', pattern: /%[\w"]/ },
  { name: 'reference to an iteration', pattern: /\*iteration:/i },
  { name: 'reference of a kind', pattern: /\[[a-z_]{2,20}:/i },
  { name: 'reference to a project', pattern: /[\w-]\/[\w.-]{1,100}>/ },
  { name: 'reference by GL', pattern: /\bGL-\d/i },
  { name: 'reference to a commit', pattern: /\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,64}\b/i },
  { name: 'directive', pattern: /^\s*:::?[a-z]/im },
];

const FORMULA = /(?<!\\)(?:\\\\)*\$|\\[([]/;

export const withoutFences = (body: string): string => body.replace(/^(`{3,})[a-z0-9]*\n[^]*?\n\1$/gm, '\n\n');

/** Deletes code spans within one paragraph, as CommonMark defines them; escaped backticks do not open a span. */
const withoutSpans = (paragraph: string): string =>
  paragraph.replace(/\\[^]|(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, (found) => (found.startsWith('\\') ? found : '`'));

const asParagraphs = (body: string): string =>
  withoutFences(body)
    .split(/\n\s*\n/)
    .map(withoutSpans)
    .join('\n\n');

/**
 * A table can cut a code span in two, so lines of a table are also read cell by cell. Renderers disagree whether two
 * backslashes before a pipe end a cell, so each line is read both ways.
 */
const asTableLines = (body: string): string =>
  withoutFences(body)
    .split(/\n\s*\n/)
    .filter((paragraph) => /^[\s>*+\d.)|:-]*-[\s>|:-]*$/m.test(paragraph))
    .flatMap((paragraph) => paragraph.split('\n'))
    .filter((line) => line.includes('|'))
    .flatMap((line) => [/(?<!\\)\|/, /(?<!(?<!\\)\\)\|/].flatMap((end) => line.split(end).map(withoutSpans)))
    .join('\n');

const addressesIn = (prose: string): readonly string[] =>
  [...prose.matchAll(/[a-z][a-z0-9+.-]*:\/\/\S*|(?<![a-z0-9])www\.\S*/gi)].map(([address]) => address);

const targetsIn = (prose: string): readonly string[] =>
  [...prose.matchAll(/\]\(([^)]*)/g)].map(([, target]) => target ?? '');

export const liveMarkupIn = (body: string, forgeBaseUrl: string): readonly string[] => {
  const prose = `${asParagraphs(body)}\n\n${asTableLines(body)}`;
  const foreign = [...addressesIn(prose), ...targetsIn(prose)].filter((url) => !url.startsWith(`${forgeBaseUrl}/`));
  // A formula is harmless, but can make a renderer misread what follows.
  const formula = FORMULA.test(asParagraphs(body)) ? ['formula'] : [];
  return [...formula, ...RULES.filter(({ pattern }) => pattern.test(prose)).map(({ name }) => name), ...foreign];
};

/**
 * Mentions outside of closed fences, as forges find them, with the groups in front. Also in code spans, because other bots
 * read the raw text.
 */
export const mentionsIn = (body: string): readonly string[] =>
  [...body.replaceAll(/^(`{3,})[^`\n]*\n(?:[^]*?\n)?\1$/gm, '').matchAll(/@[\w.]+(?:[/-]+[\w.]+)*/g)].map(
    ([name]) => name,
  );
