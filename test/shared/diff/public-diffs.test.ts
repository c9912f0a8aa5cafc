import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DiffParseError } from '../../../shared/diff/parse/diff-parse-error.ts';
import { parseDiff } from '../../../shared/diff/parse/parse.ts';
import { sharedData } from '../../support/shared-data.ts';

/**
 * Every public input against git: its own list where it made the diff, else what `git apply --numstat` reads. Each
 * line is `status path +added -removed`, the status only where git gives one.
 */
const folder = sharedData('diffs');
const outside = mkdtempSync(join(tmpdir(), 'fixpoint-numstat-'));
afterAll(() => rmSync(outside, { recursive: true, force: true }));

/**
 * Where we differ from `git apply` on purpose. It drops what it cannot apply without a word; a reviewer must see it.
 * And it strips a folder from names that bear no prefix, unless told otherwise.
 */
const DEVIATIONS: Readonly<Record<string, string>> = {
  'combined-c': 'git apply knows no combined diffs; ours are the counts against the first parent',
  'combined-cc': 'git apply knows no combined diffs; ours are the counts against the first parent',
  'diff2html__should-parse-combined-diff': 'git apply knows no combined diffs',
  'go-diff__empty': 'an empty diff is no file, not an error',
  reviewdog__empty: 'an empty diff is no file, not an error',
  'go-diff__delete_empty_file': 'names without a prefix keep their folder',
  'go-diff__empty_multi': 'names without a prefix keep their folder',
  'go-gitdiff__apply_bin_fragment_delta_error_dst_size_short': 'git apply skips a binary patch without an index line',
  'go-gitdiff__apply_bin_fragment_delta_error_limit_add': 'git apply skips a binary patch without an index line',
  'go-gitdiff__apply_bin_fragment_delta_error_limit_copy': 'git apply skips a binary patch without an index line',
  'go-gitdiff__apply_bin_fragment_delta_modify': 'git apply skips a binary patch without an index line',
  'go-gitdiff__apply_bin_fragment_delta_modify_large': 'git apply skips a binary patch without an index line',
  'go-gitdiff__apply_bin_fragment_literal_create': 'git apply skips a binary patch without an index line',
  'go-gitdiff__apply_bin_fragment_literal_error_limit': 'git apply skips a binary patch without an index line',
  'go-gitdiff__apply_bin_fragment_literal_modify': 'git apply skips a binary patch without an index line',
  'go-gitdiff__apply_text_fragment_error_overflow': 'line numbers beyond any file are damage',
  'go-gitdiff__apply_text_fragment_error_short_src_extreme': 'line numbers beyond any file are damage',
};

const TruthFile = z.object({
  status: z.string(),
  new_path: z.string(),
  additions: z.number().nullable(),
  deletions: z.number().nullable(),
});
const Truth = z.object({ files: z.array(TruthFile) });

const STATUS: Readonly<Record<string, string>> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'type_changed',
};

/** The truth files carry bytes that are not UTF-8 as lone surrogates U+DC80 to U+DCFF. */
const pathBytes = (path: string): string =>
  Array.from(path, (one) => {
    const code = one.charCodeAt(0);
    const escaped = one.length === 1 && code >= 0xdc80 && code <= 0xdcff;
    return escaped ? String.fromCharCode(code - 0xdc00) : Buffer.from(one, 'utf8').toString('latin1');
  }).join('');

const readTruth = (path: string): readonly string[] =>
  Truth.parse(JSON.parse(readFileSync(path, 'utf8'))).files.map(
    (file) => `${STATUS[file.status]} ${pathBytes(file.new_path)} +${file.additions ?? 0} -${file.deletions ?? 0}`,
  );

const numstat = (path: string, ...options: readonly string[]): readonly string[] | null => {
  try {
    const args = ['apply', '--numstat', '-z', '--unsafe-paths', ...options, path];
    const printed = execFileSync('git', args, { cwd: outside, stdio: ['ignore', 'pipe', 'ignore'] });
    const rows = printed
      .toString('latin1')
      .split('\0')
      .filter((row) => row !== '');
    return rows.map((row) => {
      const [added = '', removed = '', ...name] = row.split('\t');
      return `${name.join('\t')} +${added === '-' ? 0 : added} -${removed === '-' ? 0 : removed}`;
    });
  } catch {
    return null;
  }
};

type Outcome = readonly string[] | 'error';

const ours = (path: string, withStatus: boolean): Outcome => {
  try {
    return parseDiff(readFileSync(path)).files.map(
      (file) => `${withStatus ? `${file.status} ` : ''}${file.newPathRaw} +${file.added} -${file.removed}`,
    );
  } catch (error) {
    if (error instanceof DiffParseError) return 'error';
    throw error;
  }
};

const casesOf = (sub: string): readonly string[] =>
  folder === null ? [] : readdirSync(join(folder, sub)).filter((name) => name.endsWith('.diff'));

const compare = (sub: string, name: string): { expected: Outcome; got: Outcome } => {
  const path = join(folder ?? '', sub, name);
  const truth = path.replace(/\.diff$/, '.truth.json');
  const told = existsSync(truth);
  const expected = told ? readTruth(truth) : (numstat(path) ?? numstat(path, '-p0') ?? 'error');
  return { expected, got: ours(path, told) };
};

describe.skipIf(folder === null)('public diffs (needs the shared data)', () => {
  test.each([
    ...casesOf('generated').map((name) => ['generated', name]),
    ...casesOf('third-party').map((name) => ['third-party', name]),
  ])('reads %s/%s as git does, or differs for a stated reason', (sub = '', name = '') => {
    const { expected, got } = compare(sub, name);
    if (DEVIATIONS[name.replace(/\.diff$/, '')] === undefined) expect(got).toEqual(expected);
    else expect(got).not.toEqual(expected);
  });

  test('finds the inputs', () => {
    expect(casesOf('generated').length + casesOf('third-party').length).toBeGreaterThan(200);
  });
});

/** `FIXPOINT_DIFF_TABLE=1` prints every input with what git and what we make of it. */
const printTable = (): void => {
  const show = (outcome: Outcome): string => (outcome === 'error' ? 'error' : outcome.join('; ') || '(no file)');
  for (const sub of ['generated', 'third-party']) {
    for (const name of casesOf(sub)) {
      const { expected, got } = compare(sub, name);
      process.stdout.write(`${sub}/${name} | ${show(expected)} | ${show(got)}\n`);
    }
  }
};

afterAll(() => {
  if (process.env['FIXPOINT_DIFF_TABLE'] === '1' && folder !== null) printTable();
});
