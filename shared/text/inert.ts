import { type Block, readBlocks } from './blocks.ts';
import { breakInCode, mayMentionOnly, removeBreaks } from './break-points.ts';
import { codeFence } from './code-fence.ts';
import type { LinkPolicy } from './link-policy.ts';
import { sanitizeLineOfProse, type LineRules } from './sanitize-line.ts';
import { showHidden } from './visible.ts';

export type InertOptions = LinkPolicy & {
  readonly mayMention: readonly string[];
  /** Logins with which a code span may start, so that commands can be shown. If absent, there are none. */
  readonly mayShow?: readonly string[];
};

const rulesOf = (options: InertOptions): Omit<LineRules, 'mayBeRow'> => ({
  forgeBaseUrl: options.forgeBaseUrl,
  page: options.page,
  mayMention: mayMentionOnly(options.mayMention),
  mayShow: mayMentionOnly(options.mayShow ?? []),
});

/** Front matter at the start of a body is parsed before markdown, even across code fences. */
const guardFrontMatter = (text: string): string => text.replace(/^(\s*)(?=---|\+\+\+|;;;)/, '$1\\');

const ALTERED = '_(Invisible characters were added to the code above: it cannot be copied as it is.)_';

/** Writes a code block, followed by one notice if the code was changed. */
const writeCode = ({ info, lines }: Block & { readonly kind: 'code' }, next: Block | undefined): readonly string[] => {
  const inert = breakInCode(lines);
  const isAltered = inert.some((line, index) => line !== lines[index]);
  const isSaid = next?.kind === 'prose' && next.line === ALTERED;
  return [codeFence(inert.join('\n'), info), ...(isAltered && !isSaid ? [ALTERED] : [])];
};

/** Whether a line could be the delimiter row of a table, even after quote and list markers. */
const isTableHead = (line: string): boolean => /^[\s>|:\-+*\d.)]*$/.test(line) && /-/.test(line) && /[|:]/.test(line);

/** Returns for each block whether it may be a table row. A table ends at a blank line or a fence. */
const mayBeRows = (blocks: readonly Block[]): readonly boolean[] => {
  const rows: boolean[] = [];
  let begin = 0;
  blocks.forEach((block, index) => {
    const isEnd = block.kind === 'code' || block.line.trim() === '';
    rows.push(false);
    if (!isEnd && isTableHead(block.line)) rows.fill(true, begin);
    else if (isEnd) begin = index + 1;
    else rows[index] = index > begin && rows[index - 1] === true;
  });
  return rows;
};

/** Does the same as `sanitize`, but neither redacts secrets nor limits the size. Idempotent; linear. */
export const makeInert = (text: string, options: InertOptions): string => {
  const rules = rulesOf(options);
  const blocks = readBlocks(showHidden(removeBreaks(text)));
  const rows = mayBeRows(blocks);
  const written = blocks.flatMap((block, index) => {
    if (block.kind === 'code') return writeCode(block, blocks[index + 1]);
    return [sanitizeLineOfProse(block.line, { ...rules, mayBeRow: rows[index] === true })];
  });
  return guardFrontMatter(written.join('\n'));
};
