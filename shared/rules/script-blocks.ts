/** Finds the scripts of a Vue or Svelte file as the compilers of both do: up to the next closing tag, wherever it stands. */

export type ScriptBlock = {
  readonly text: string;
  /** The line of the file on which `text` begins, counted from 1. */
  readonly firstLine: number;
  /** The value of `lang`, or else of `type`; empty if there is neither. */
  readonly lang: string;
};

const TAG = /<!--|<script(?=[\s>/])/gi;
const CLOSING = /<\/script\s{0,100}>/gi;

/** Blocks in file order. A block that is not closed ends with the file. */
export const scriptBlocksOf = (text: string): readonly ScriptBlock[] => {
  const blocks: ScriptBlock[] = [];
  let line = 1;
  let counted = 0;
  for (let at = 0; ; ) {
    TAG.lastIndex = at;
    const tag = TAG.exec(text);
    if (tag === null) return blocks;
    at = tag[0] === '<!--' ? endOfComment(text, tag.index) : endOfTag(text, tag.index);
    if (tag[0] === '<!--') continue;
    const opening = text.slice(tag.index, at);
    if (opening.endsWith('/>')) continue;
    CLOSING.lastIndex = at;
    const end = CLOSING.exec(text)?.index ?? text.length;
    line += countLines(text, counted, at);
    counted = at;
    blocks.push({ text: text.slice(at, end), firstLine: line, lang: langOf(opening) });
    at = end;
  }
};

const endOfComment = (text: string, start: number): number => {
  const end = text.indexOf('-->', start + 4);
  return end === -1 ? text.length : end + 3;
};

/** Returns the offset after the `>` of a tag; a `>` in quotes does not end it. */
const endOfTag = (text: string, start: number): number => {
  let quote = '';
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at + 1;
  }
  return text.length;
};

const countLines = (text: string, from: number, to: number): number => {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
};

/** Attributes of a tag are short; what is longer is not one. */
const MAX_TAG_CHARS = 2_000;

const langOf = (opening: string): string => {
  const tag = opening.slice(0, MAX_TAG_CHARS);
  const [, , lang] = /\slang\s{0,9}=\s{0,9}(["']?)([\w/+.-]*)\1/i.exec(tag) ?? [];
  const [, , type] = /\stype\s{0,9}=\s{0,9}(["']?)([\w/+.-]*)\1/i.exec(tag) ?? [];
  return lang ?? type ?? '';
};
