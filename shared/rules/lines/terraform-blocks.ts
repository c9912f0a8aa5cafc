import { readable } from './line-matches.ts';

export type TerraformLine = {
  readonly number: number;
  /** The line without its comment. */
  readonly text: string;
  /** The types of the blocks around the line, outermost first, such as `resource aws_security_group` and `ingress`. */
  readonly blocks: readonly TerraformBlock[];
};
export type TerraformBlock = { readonly type: string; readonly lines: string[] };

const OPENING = /^\s*([\w-]+)((?:\s+"[^"]*")*)\s*=?\s*\{/;

const typeOf = (line: string): string => {
  const [, name = '', labels = ''] = OPENING.exec(line) ?? [];
  const [label = ''] = /[^"\s]+/.exec(labels) ?? [];
  return label === '' ? name : `${name} ${label}`;
};

const withoutComment = (line: string): string => (/^\s*(?:#|\/\/)/.test(line) ? '' : line.replace(/\s#[^"]*$/, ''));

const count = (line: string, character: string): number => line.split(character).length - 1;

/** Reads blocks by their braces, as `terraform fmt` writes them: a block opens at the end of a line. */
export const terraformLines = (lines: readonly string[]): readonly TerraformLine[] => {
  const open: TerraformBlock[] = [];
  return lines.map((whole, index) => {
    const text = withoutComment(readable(whole));
    for (const block of open) if (block.lines.length < 200) block.lines.push(text);
    const change = count(text, '{') - count(text, '}');
    const line = { number: index + 1, text, blocks: [...open] };
    for (let opened = 0; opened < change && open.length < 20; opened += 1)
      open.push({ type: typeOf(text), lines: [text] });
    if (change < 0) open.splice(Math.max(0, open.length + change));
    return line;
  });
};
