import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parsePatch } from 'diff';
import { annotate } from '../../shared/diff/annotate/annotate.ts';
import { parseDiff } from '../../shared/diff/parse/parse.ts';
import { median, ratiosOf, showSpread } from './numbers.ts';

/**
 * The diff engine against jsdiff and `git apply --numstat` on the same input in the same run, in turns so that a busy
 * machine slows all of them.
 */
const FILES = 4000;
const ROUNDS = 9;
const RUNS = 5;
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

type Side = { readonly name: string; readonly run: () => void; readonly times: Times };

setFlagsFromString('--expose-gc');
const collectGarbage = (): void => void runInNewContext('gc()');

/** Milliseconds for one run, one number for each round. Other work on the machine hardly changes the processor time. */
type Times = { readonly ms: number[]; readonly cpuMs: number[] };

/** Times the mean of `RUNS`, so that each side pays for its own garbage and for no other. */
const timeRuns = (run: () => void, times: Times): void => {
  collectGarbage();
  const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
  for (let runs = 0; runs < RUNS; runs++) run();
  times.ms.push((performance.now() - startMs) / RUNS);
  const { user, system } = process.cpuUsage(startCpu);
  times.cpuMs.push((user + system) / 1000 / RUNS);
};

/** Every other round goes backwards, so that a busy moment does not always hit the same side. */
const measureInTurns = (contest: readonly Side[]): void => {
  for (const { run } of contest) timeRuns(run, { ms: [], cpuMs: [] });
  for (let round = 0; round < ROUNDS; round++) {
    for (const { run, times } of round % 2 === 0 ? contest : contest.toReversed()) timeRuns(run, times);
  }
};

const report = (goal: string, got: string, met: boolean): void => {
  console.log(`  ${met ? 'met   ' : 'MISSED'} ${goal}: ${got} times`);
};

const sideOf = (name: string, run: () => void): Side => ({ name, run, times: { ms: [], cpuMs: [] } });

const reportAgainstJsdiff = (goal: string, least: number, side: Side, jsdiff: Side): void => {
  const ratios = ratiosOf(side.times.ms, jsdiff.times.ms);
  const byCpu = showSpread(ratiosOf(side.times.cpuMs, jsdiff.times.cpuMs));
  report(goal, `${showSpread(ratios)}, by processor time ${byCpu}`, median(ratios) >= least);
};

const benchSpeed = (path: string): void => {
  const bytes = readFileSync(path);
  const text = bytes.toString('utf8');
  const numstat = (): void => void spawnSync('git', ['apply', '--numstat', path], { cwd: tmpdir(), stdio: 'ignore' });
  const parse = sideOf('parse', () => void parseDiff(bytes));
  const both = sideOf('parse and annotate', () => void annotate(parseDiff(bytes).files, { maxBytes: Infinity }));
  const jsdiff = sideOf('jsdiff parsePatch', () => void parsePatch(text));
  const git = sideOf('git apply --numstat', numstat);
  measureInTurns([parse, both, jsdiff, git]);
  const size = `${(bytes.length / MEGABYTE).toFixed(1)} MB, ${parseDiff(bytes).files.length} files`;
  console.log(`diff: ${size}; medians of ${ROUNDS} rounds of ${RUNS} runs, ratios with their extremes`);
  for (const { name, times } of [parse, both, jsdiff, git]) {
    const ms = median(times.ms);
    const perSecond = (bytes.length / 1000 / ms).toFixed(0);
    console.log(`  ${name.padEnd(20)} ${ms.toFixed(1).padStart(7)} ms ${perSecond.padStart(5)} MB/s`);
  }
  reportAgainstJsdiff('parse at least 3 times as fast as jsdiff', 3, parse, jsdiff);
  reportAgainstJsdiff('parse and annotate at least 1.5 times as fast as jsdiff alone', 1.5, both, jsdiff);
  const slower = ratiosOf(git.times.ms, parse.times.ms);
  report('parse in at most 1.5 times the time of git apply', showSpread(slower), median(slower) <= 1.5);
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
  report('memory above idle under 4 times the input', (whole / size).toFixed(2), whole < 4 * size);
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
