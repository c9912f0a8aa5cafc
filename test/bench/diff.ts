import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parsePatch } from 'diff';
import { annotate } from '../../shared/diff/annotate/annotate.ts';
import { parseDiff } from '../../shared/diff/parse/parse.ts';

/**
 * The diff engine against jsdiff and `git apply --numstat` on the same input in the same run, interleaved so that a
 * busy machine slows all of them. Best of several rounds: noise only ever adds.
 */
const FILES = 4000;
const ROUNDS = 7;
const MEGABYTE = 1_000_000;

const WORDS = 'const return if value index for let foo bar await result error options callback config string'.split(
  ' ',
);

/** The same numbers on every machine (a linear congruential generator, Numerical Recipes). */
const createRandom = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
};

type Random = ReturnType<typeof createRandom>;

const makeLine = (random: Random): string => {
  const words = Array.from({ length: 1 + random(9) }, () => WORDS[random(WORDS.length)] ?? '');
  return `${'  '.repeat(random(6))}${words.join(' ')};`;
};

const makeLines = (random: Random, count: number): string[] => Array.from({ length: count }, () => makeLine(random));

const editLines = (lines: readonly string[], random: Random): string[] => {
  const edited = [...lines];
  for (let edits = 1 + random(10); edits > 0; edits--) {
    const at = random(edited.length);
    if (random(2) === 0) edited.splice(at, random(10), ...makeLines(random, random(30)));
    else edited[at] = makeLine(random);
  }
  return edited;
};

/** A diff of some 20 MB between two commits of a generated repository. */
const makeDiff = (folder: string): string => {
  const git = (...args: readonly string[]): void => {
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', ...args], { cwd: folder });
  };
  const random = createRandom(42);
  const contents = Array.from({ length: FILES }, () => makeLines(random, 60 + random(300)));
  const write = (): void => {
    for (const [index, lines] of contents.entries()) {
      const home = join(folder, `module-${index % 80}`);
      mkdirSync(home, { recursive: true });
      writeFileSync(join(home, `file-${index}.ts`), `${lines.join('\n')}\n`);
    }
  };
  git('init', '--quiet');
  write();
  git('add', '--all');
  git('commit', '--quiet', '--message', 'before');
  for (const [index, lines] of contents.entries()) contents[index] = editLines(lines, random);
  write();
  const path = join(folder, '..', 'bench.diff');
  git('diff', '--full-index', '--no-ext-diff', `--output=${path}`);
  return path;
};

type Contest = Readonly<Record<string, () => void>>;

const bestOf = (contest: Contest): ReadonlyMap<string, number> => {
  const best = new Map<string, number>();
  for (let review = 0; review < ROUNDS; review++) {
    for (const [name, run] of Object.entries(contest)) {
      const start = performance.now();
      run();
      const ms = performance.now() - start;
      best.set(name, Math.min(ms, best.get(name) ?? Number.POSITIVE_INFINITY));
    }
  }
  return best;
};

const report = (goal: string, got: number, met: boolean, unit: string): void => {
  console.log(`  ${met ? 'met   ' : 'MISSED'} ${goal}: ${got.toFixed(2)} ${unit}`);
};

const benchSpeed = (path: string): void => {
  const bytes = readFileSync(path);
  const text = bytes.toString('utf8');
  const best = bestOf({
    parse: () => void parseDiff(bytes),
    'parse and annotate': () => void annotate(parseDiff(bytes).files, { maxBytes: Number.POSITIVE_INFINITY }),
    'jsdiff parsePatch': () => void parsePatch(text),
    'git apply --numstat': () =>
      void spawnSync('git', ['apply', '--numstat', path], { cwd: tmpdir(), stdio: 'ignore' }),
  });
  const of = (name: string): number => best.get(name) ?? Number.NaN;
  console.log(`diff: ${(bytes.length / MEGABYTE).toFixed(1)} MB, ${parseDiff(bytes).files.length} files`);
  for (const [name, ms] of best) {
    console.log(
      `  ${name.padEnd(20)} ${ms.toFixed(1).padStart(7)} ms ${(bytes.length / 1000 / ms).toFixed(0).padStart(5)} MB/s`,
    );
  }
  const faster = of('jsdiff parsePatch') / of('parse');
  const slower = of('parse') / of('git apply --numstat');
  const annotated = of('jsdiff parsePatch') / of('parse and annotate');
  report('parse at least 3 times as fast as jsdiff', faster, faster >= 3, 'times');
  report('parse in at most 1.5 times the time of git apply', slower, slower <= 1.5, 'times');
  report('parse and annotate at least 1.5 times as fast as jsdiff alone', annotated, annotated >= 1.5, 'times');
};

/** Runs in its own process, so that only this work is measured. Prints the peak above idle in bytes. */
const measureMemory = (path: string): number => {
  const script = new URL(import.meta.url).pathname;
  const child = spawnSync(process.execPath, [...process.execArgv, script, 'whole', path], { encoding: 'utf8' });
  return Number(child.stdout.trim().split('\n').at(-1));
};

/** Resident bytes now. The peak that the system keeps would be that of starting up. */
const resident = (): number => process.memoryUsage.rss();

const runWhole = (path: string): void => {
  const idle = resident();
  const { files } = parseDiff(readFileSync(path));
  const used = resident() - idle;
  console.log(files.length > 0 ? used : Number.NaN);
};

const benchMemory = (path: string): void => {
  const size = readFileSync(path).length;
  const whole = measureMemory(path);
  report('memory above idle under 4 times the input', whole / size, whole < 4 * size, 'times');
};

/** Prints the ratios against jsdiff and git, and the memory, with the goal of each. */
export const benchDiff = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-bench-'));
  try {
    const repository = join(folder, 'repository');
    mkdirSync(repository);
    const path = makeDiff(repository);
    benchSpeed(path);
    benchMemory(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const [mode, path] = process.argv.slice(2);
if (path !== undefined && mode === 'whole') runWhole(path);
