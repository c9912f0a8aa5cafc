import { lineLanguageOf, type Parser, parserOf, scriptParserOf } from './model/language.ts';
import type { SourceFile } from './model/rule.ts';
import { scriptBlocksOf } from './script-blocks.ts';

/** A file, or one of its script blocks, as one parser reads it. */
export type ParsedPart = {
  readonly text: string;
  /** The line of the file on which `text` begins, counted from 1. */
  readonly firstLine: number;
  readonly parser: Parser;
};

export type ParsedParts = {
  readonly parts: readonly ParsedPart[];
  /** Why some script of the file cannot be parsed; null if there is none. */
  readonly unread: string | null;
};

/** Components have one or two scripts; the limit keeps a file of thousands from becoming as many files. */
const MAX_BLOCKS = 20;

/** Types of script blocks that hold data or templates. */
const NO_CODE =
  /^(?:text\/(?:template|html|x-[\w-]+|plain)|application\/(?:ld\+)?json|json|importmap|speculationrules)$/i;

export const parsedPartsOf = (file: SourceFile, parserFor = parserOf): ParsedParts => {
  const language = lineLanguageOf(file.path);
  if (language === 'Vue' || language === 'Svelte') return scriptParts(file.text);
  const parser = parserFor(file.path, file.text);
  return { parts: parser === null ? [] : [{ text: file.text, firstLine: 1, parser }], unread: null };
};

const scriptParts = (text: string): ParsedParts => {
  const blocks = scriptBlocksOf(text).filter(({ lang }) => !NO_CODE.test(lang));
  if (blocks.length > MAX_BLOCKS) return { parts: [], unread: `more than ${MAX_BLOCKS} script blocks` };
  const parts = blocks.flatMap(({ lang, ...block }) => {
    const parser = scriptParserOf(lang);
    return parser === null ? [] : [{ ...block, parser }];
  });
  const unread = parts.length < blocks.length ? 'no rule knows the language of a script block' : null;
  return { parts, unread };
};
