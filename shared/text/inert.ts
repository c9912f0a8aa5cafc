import { type Block, readBlocks } from './blocks.ts';
import { breakInCode, mayMentionOnly, removeBreaks } from './break-points.ts';
import { codeFence, onOneLine } from './code-fence.ts';
import { sanitizeLineOfProse, type LineRules } from './sanitize-line.ts';
import { showHidden } from './visible.ts';

export type InertOptions = {
  readonly forgeBaseUrl: string;
  readonly mayMention: readonly string[];
  /** Logins with which a code span may begin: commands that are shown. Absent: none. */
  readonly mayShow?: readonly string[];
};

const rulesOf = (options: InertOptions): LineRules => ({
  forgeBaseUrl: options.forgeBaseUrl,
  mayMention: mayMentionOnly(options.mayMention),
  mayShow: mayMentionOnly(options.mayShow ?? []),
});

/** Front matter at the head of a body is parsed before markdown, across code fences. */
const guardFrontMatter = (text: string): string => text.replace(/^(\s*)(?=---|\+\+\+|;;;)/, '$1\\');

const ALTERED = '_(Invisible characters were added to the code above: it cannot be copied as it is.)_';

/** Code that had to be altered says so behind its fence, once. */
const writeCode = ({ info, lines }: Block & { readonly kind: 'code' }, next: Block | undefined): readonly string[] => {
  const inert = breakInCode(lines);
  const isAltered = inert.some((line, index) => line !== lines[index]);
  const isSaid = next?.kind === 'prose' && next.line === ALTERED;
  return [codeFence(inert.join('\n'), info), ...(isAltered && !isSaid ? [ALTERED] : [])];
};

/** Makes a text inert, apart from secrets and size: see `sanitize`. Idempotent; linear. */
export const makeInert = (text: string, options: InertOptions): string => {
  const rules = rulesOf(options);
  const blocks = readBlocks(showHidden(removeBreaks(text)));
  const written = blocks.flatMap((block, index) =>
    block.kind === 'prose' ? [sanitizeLineOfProse(block.line, rules)] : writeCode(block, blocks[index + 1]),
  );
  return guardFrontMatter(written.join('\n'));
};

/** The same for a text that stands within a line of ours: a title, a path, a reason. */
export const makeInertLine = (text: string, options: InertOptions): string => {
  const line = onOneLine(showHidden(removeBreaks(text))).replace(/^(?=~~~)/, '\\');
  return guardFrontMatter(sanitizeLineOfProse(line, rulesOf(options)));
};
