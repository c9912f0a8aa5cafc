/** The code blocks of README and the guide, with what their info strings say about them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fromMarkdown } from 'mdast-util-from-markdown';

export const NEEDS = ['docker', 'kubernetes', 'published', 'forge', 'setup', 'model', 'sets'] as const;
export type Need = (typeof NEEDS)[number];

export type Block = {
  readonly document: string;
  /** Of the fence, counted from 1. */
  readonly line: number;
  readonly language: string;
  /** What follows the language in the info string. */
  readonly mark: string;
  readonly text: string;
};

const GUIDE = 'deploy/guide';

/** In the order in which they are read: README, the set-up, then page by page. */
export const listDocuments = (root: string): readonly string[] => {
  const pages = readdirSync(path.join(root, GUIDE)).filter((name) => name.endsWith('.md') && name !== 'quickstart.md');
  return ['README.md', 'deploy/README.md', ...['quickstart.md', ...pages.toSorted()].map((name) => `${GUIDE}/${name}`)];
};

type Node = ReturnType<typeof fromMarkdown>['children'][number];

const codeIn = (node: Node): readonly Extract<Node, { type: 'code' }>[] => {
  if (node.type === 'code') return [node];
  return 'children' in node ? node.children.flatMap(codeIn) : [];
};

export const blocksOf = (document: string, markdown: string): readonly Block[] =>
  fromMarkdown(markdown)
    .children.flatMap(codeIn)
    .map(({ lang, meta, value, position }) => ({
      document,
      line: position?.start.line ?? 0,
      language: lang ?? '',
      mark: meta ?? '',
      text: value,
    }));

export const readBlocks = (root: string): readonly Block[] =>
  listDocuments(root).flatMap((document) => blocksOf(document, readFileSync(path.join(root, document), 'utf8')));

const MARKS: ReadonlySet<string> = new Set(['run', ...NEEDS.map((need) => `needs=${need}`)]);

/** A shell block says what it takes to run it; null when it does, else what is wrong. */
export const mistakeIn = ({ language, mark }: Block): string | null => {
  if (language === '') return 'has no language';
  return language !== 'sh' || MARKS.has(mark) ? null : `is marked "${mark}", not ${[...MARKS].join(', ')}`;
};

export const placeOf = ({ document, line }: Block): string => `${document}:${line}`;

/** Shell blocks of one kind, each text once, in reading order. */
export const shellBlocks = (blocks: readonly Block[], mark: 'run' | `needs=${Need}`): readonly Block[] => {
  const chosen = blocks.filter((block) => block.language === 'sh' && block.mark === mark);
  return chosen.filter((block, index) => chosen.findIndex(({ text }) => text === block.text) === index);
};

/** How many blocks there are of each kind, most first. */
export const countKinds = (blocks: readonly Block[]): string => {
  const counts = new Map<string, number>();
  for (const { language, mark } of blocks) {
    const kind = `${language} ${mark}`.trim();
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([a, many], [b, others]) => others - many || a.localeCompare(b))
    .map(([kind, count]) => `${kind}: ${count}`)
    .join(', ');
};

/** The commands of a shell block without comments, continued lines joined. */
export const commandsOf = ({ text }: Block): readonly string[] =>
  text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s+)#.*$/, '').trim())
    .filter((line) => line !== '');
