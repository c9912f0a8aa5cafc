/** Changes of a given size, the same on every machine for the same seed, in a real repository. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A linear congruential generator (Numerical Recipes). */
const createRandom = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const AREAS = ['auth', 'billing', 'cart', 'catalog', 'docs', 'mail', 'search', 'shop', 'stock', 'users'] as const;
const WORDS = 'amount index order customer total price label status input result option entry'.split(' ');

type Random = ReturnType<typeof createRandom>;

const word = (random: Random): string => WORDS[random(WORDS.length)] ?? 'value';

const codeLine = (random: Random, at: number): string => {
  const [one, two] = [word(random), word(random)];
  switch (random(4)) {
    case 0:
      return `export const ${one}${at} = (${two}) => ${two} * ${random(90)} + ${random(9)};`;
    case 1:
      return `  if (${one} > ${random(100)}) return ${two};`;
    case 2:
      return `  // the ${one} of this ${two}`;
    default:
      return `  ${one}.push(${two}${at});`;
  }
};

const linesOf = (random: Random, count: number): string[] =>
  Array.from({ length: count }, (_, at) => codeLine(random, at));

const pathOf = (at: number): string => {
  const area = AREAS[at % AREAS.length] ?? 'shop';
  const name = `part${Math.floor(at / AREAS.length)}`;
  return at % 5 === 4 ? `test/${area}/${name}.test.ts` : `src/${area}/${name}.ts`;
};

export type LargeChange = {
  readonly folder: string;
  readonly base: string;
  readonly head: string;
  /** Commits one more edit of a few lines in this many files. Returns the new head. */
  readonly push: (files: number) => string;
};

/** Edits existing files with about `changedLines` changed lines in all: runs of added lines, and some replaced ones. */
export const makeLargeChange = (
  folder: string,
  { files, changedLines, seed }: { readonly files: number; readonly changedLines: number; readonly seed: number },
): LargeChange => {
  const random = createRandom(seed);
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=bench', '-c', 'user.email=bench@example.com', ...args], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    }).trim();
  mkdirSync(folder, { recursive: true });
  git('init', '--quiet');
  const texts = Array.from({ length: files }, () => linesOf(random, 60 + random(80)));
  const write = (at: number): void => {
    const path = join(folder, pathOf(at));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${(texts[at] ?? []).join('\n')}\n`);
  };
  const commit = (): string => {
    git('add', '--all');
    git('commit', '--quiet', '--message', 'change');
    return git('rev-parse', 'HEAD');
  };
  for (const at of texts.keys()) write(at);
  const base = commit();
  let left = changedLines;
  for (const [at, lines] of texts.entries()) {
    const share = Math.round(left / (files - at));
    left -= share;
    for (let missing = share; missing > 0; ) {
      const added = Math.min(missing, 1 + random(24));
      lines.splice(random(lines.length), 0, ...linesOf(random, added));
      missing -= added;
    }
    write(at);
  }
  const head = commit();
  const push = (edited: number): string => {
    for (let at = 0; at < edited; at += 1) {
      const file = (at * 37) % files;
      texts[file]?.splice(random(40), 0, ...linesOf(random, 3));
      write(file);
    }
    return commit();
  };
  return { folder, base, head, push };
};
