/** One run of Stryker over some files, in a process of its own that ends with the time. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MutatedFolder } from './folders.ts';
import type { SampledFile } from './sample.ts';
import { Report } from './score.ts';

export type ChunkRun = {
  readonly folder: MutatedFolder;
  readonly files: readonly SampledFile[];
  /** For the sample, the configuration and the report of this chunk. */
  readonly into: string;
  readonly timeoutMs: number;
};

const settingsOf = ({ files, into }: ChunkRun) => ({
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', path.resolve('test/mutate/sample-checker.mjs')],
  checkers: ['sample'],
  coverageAnalysis: 'perTest',
  mutate: files.map(({ file }) => file),
  vitest: { configFile: 'test/mutate/vitest.config.ts', related: false },
  concurrency: 1,
  timeoutMS: 30_000,
  dryRunTimeoutMinutes: 10,
  reporters: ['json'],
  jsonReporter: { fileName: path.join(into, 'report.json') },
  tempDirName: path.join(into, 'sandbox'),
  ignorePatterns: ['dist', 'deploy', '.fixpoint-data'],
  // Its reader of tsconfig.json knows TypeScript up to 6; nothing is compiled here.
  tsconfigFile: 'none',
  allowEmpty: true,
});

/** Null when the time was over first: nothing is known of the chunk then. */
export const runStryker = async (run: ChunkRun): Promise<Report | null> => {
  const { folder, files, into, timeoutMs } = run;
  mkdirSync(into, { recursive: true });
  const [config, sample] = [path.join(into, 'stryker.json'), path.join(into, 'sample.json')];
  writeFileSync(config, JSON.stringify(settingsOf(run)));
  writeFileSync(sample, JSON.stringify(files.flatMap(({ keys }) => keys)));
  const env = {
    ...process.env,
    FIXPOINT_MUTATE_SAMPLE: sample,
    FIXPOINT_MUTATE_TESTS: folder.tests.join('\n'),
    FIXPOINT_MUTATE_WITHOUT: (folder.without ?? []).join('\n'),
  };
  const code = await ended(['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', config], env, timeoutMs);
  rmSync(path.join(into, 'sandbox'), { recursive: true, force: true });
  if (code === null) return null;
  if (code !== 0) throw new Error(`Stryker ended with ${code}; its output is above`);
  return Report.parse(JSON.parse(readFileSync(path.join(into, 'report.json'), 'utf8')));
};

/** The exit code; null when it was stopped because its time was over. */
const ended = async (args: readonly string[], env: NodeJS.ProcessEnv, timeoutMs: number): Promise<number | null> =>
  new Promise((resolve, reject) => {
    // A group of its own: the processes that run tests end with it.
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, timeoutMs);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(isLate ? null : (code ?? 1));
    });
  });
