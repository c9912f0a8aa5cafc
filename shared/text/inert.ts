import { readBlocks } from './blocks.ts';
import { mayMentionOnly, removeBreaks } from './break-points.ts';
import { codeFence, onOneLine } from './code-fence.ts';
import { sanitizeLineOfCode, sanitizeLineOfProse, type LineRules } from './sanitize-line.ts';
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

/** Makes a text inert, apart from secrets and size: see `sanitize`. Idempotent; linear. */
export const makeInert = (text: string, options: InertOptions): string => {
  const rules = rulesOf(options);
  const written = readBlocks(showHidden(removeBreaks(text))).map((block) =>
    block.kind === 'prose'
      ? sanitizeLineOfProse(block.line, rules)
      : codeFence(block.lines.map((line) => sanitizeLineOfCode(line, rules)).join('\n'), block.info),
  );
  return guardFrontMatter(written.join('\n'));
};

/** The same for a text that stands within a line of ours: a title, a path, a reason. */
export const makeInertLine = (text: string, options: InertOptions): string => {
  const line = onOneLine(showHidden(removeBreaks(text))).replace(/^(?=~~~)/, '\\');
  return guardFrontMatter(sanitizeLineOfProse(line, rulesOf(options)));
};
