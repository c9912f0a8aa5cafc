/**
 * `npm run mutate -- FOLDER`: changes the sources one place at a time and says which changes no test notices. A seeded
 * sample, in chunks; a chunk that was done is not done again while its sources and tests stay the same.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { FOLDERS, type MutatedFolder } from './folders.ts';
import { runStryker } from './run-stryker.ts';
import { chunk, drawSample, enumerateMutants, type SampledFile } from './sample.ts';
import { printScore, Report, scoreOf } from './score.ts';

const REPORTS = 'node_modules/.cache/fixpoint-mutate';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    sample: { type: 'string', default: '300' },
    minutes: { type: 'string', default: '25' },
    // Smaller where the tests take long: what a chunk has found is lost when the time is over before its end.
    chunk: { type: 'string', default: '75' },
  },
});

const usage = (why: string): never => {
  process.stderr.write(
    `${why}\nusage: npm run mutate -- FOLDER [--seed 1] [--sample 300] [--minutes 25] [--chunk 75]\n` +
      `FOLDER: ${Object.keys(FOLDERS).join(', ')}\n`,
  );
  process.exit(2);
};

const wholeNumber = (name: 'seed' | 'sample' | 'minutes' | 'chunk'): number =>
  /^\d{1,6}$/.test(values[name]) ? Number(values[name]) : usage(`--${name} is not a whole number: ${values[name]}`);

const [name = '', ...more] = positionals;
const folder = FOLDERS[name] ?? usage(name === '' ? 'no folder is named' : `unknown folder: ${name}`);
if (more.length > 0) usage(`unexpected: ${more.join(' ')}`);
const [seed, size, minutes] = [wholeNumber('seed'), wholeNumber('sample'), wholeNumber('minutes')];

const sourcesIn = (where: string): readonly string[] =>
  readdirSync(where, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
    .map((file) => path.join(where, file));

const filesOf = ({ source }: MutatedFolder): readonly string[] =>
  sourcesIn(source).filter((file) => path.basename(file) !== 'main.ts');

/** A chunk is known by everything that its result depends on. */
const stateOf = (files: readonly SampledFile[]): string => {
  const hash = createHash('sha256').update(JSON.stringify(files));
  const tests = [...new Set(folder.tests.map((glob) => glob.replace(/\/(?:\*\*\/)?[^/]*$/, '')))].flatMap(sourcesIn);
  for (const file of [...filesOf(folder), ...tests]) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
};

const endsAtMs = Date.now() + minutes * 60_000;
const sampled = drawSample(await enumerateMutants(filesOf(folder)), seed, size);
const reports: Report[] = [];
let left = 0;
for (const files of chunk(sampled, wholeNumber('chunk'))) {
  const into = path.resolve(REPORTS, `${name}-${stateOf(files)}`);
  const done = path.join(into, 'done.json');
  const timeoutMs = endsAtMs - Date.now();
  const report = existsSync(done)
    ? Report.parse(JSON.parse(readFileSync(done, 'utf8')))
    : timeoutMs > 0
      ? await runStryker({ folder, files, into, timeoutMs })
      : null;
  if (report === null) {
    left += files.reduce((sum, { keys }) => sum + keys.length, 0);
    continue;
  }
  mkdirSync(into, { recursive: true });
  writeFileSync(done, JSON.stringify(report));
  reports.push(report);
}
process.stdout.write(`${printScore(name, scoreOf(reports))}\n`);
if (left > 0)
  process.stdout.write(`${left} mutants were not tried in ${minutes} minutes; the same command goes on with them\n`);
process.exitCode = left > 0 ? 1 : 0;
