import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { annotate } from '../../../shared/diff/annotate/annotate.ts';
import { annotateFile } from '../../../shared/diff/annotate/annotate-file.ts';
import { anchor } from '../../../shared/diff/position/anchor.ts';
import { eachRow, hunkLines } from '../../../shared/diff/hunk-lines.ts';
import { inspectDiff } from '../../../shared/diff/inspect.ts';
import { createLineMap } from '../../../shared/diff/position/line-map.ts';
import type { Diff, DiffFile } from '../../../shared/diff/model.ts';
import { parseDiff } from '../../../shared/diff/parse/parse.ts';
import { printDiff } from '../../support/print-diff.ts';
import { type RandomChange, randomChange, rowsOf, type Tree, writeTree } from './random-change.ts';
import { createTempRepository, diffTexts } from './temp-repository.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';
const SAMPLES = DEEP ? 500 : 12;
const TIMEOUT_MS = DEEP ? 600_000 : 60_000;

type Made = { readonly from: string; readonly to: string; readonly change: RandomChange };

// One repository for all samples: each is two commits on top of the ones before.
const repository = createTempRepository();
let samples: readonly Made[] = [];

beforeAll(() => {
  let standing: Tree = {};
  samples = fc.sample(randomChange, { seed: 11, numRuns: SAMPLES }).map((change) => {
    writeTree(repository.folder, change.before, standing);
    const from = repository.commit('before');
    writeTree(repository.folder, change.after, change.before);
    standing = change.after;
    return { from, to: repository.commit('after'), change };
  });
}, TIMEOUT_MS);

afterAll(() => repository.dispose());

const holds = (check: (made: Made, change: RandomChange) => void): void => {
  for (const made of samples) check(made, made.change);
};

/** Every line of the file's hunks: its bytes and its number on each side. */
const numberedBytes = (file: DiffFile) =>
  file.hunks.flatMap((hunk) => {
    const rows: string[] = [];
    eachRow(hunk, (start, end) => {
      if (hunk.source[start] !== 0x5c) rows.push(hunk.source.toString('latin1', start + 1, end));
    });
    return hunkLines(hunk).map((line, index) => ({ ...line, bytes: rows[index] ?? '' }));
  });

const rowAt = (tree: Tree, path: string, line: number): string | undefined => {
  const node = tree[path];
  return node === undefined ? undefined : rowsOf(node)[line - 1];
};

/** git's own list: status letter, old and new path. */
const rawList = ({ from, to }: Made, ...options: readonly string[]): readonly string[] => {
  const fields = repository
    .git('diff', '--raw', '-z', '-M', ...options, from, to)
    .toString('latin1')
    .split('\0');
  const files: string[] = [];
  for (let at = 0; at < fields.length - 1; ) {
    const letter = fields[at]?.split(' ')[4]?.charAt(0) ?? '';
    const twoPaths = letter === 'R' || letter === 'C';
    files.push(`${letter} ${fields[at + 1]} ${fields[at + (twoPaths ? 2 : 1)]}`);
    at += twoPaths ? 3 : 2;
  }
  return files;
};

const LETTERS = { added: 'A', deleted: 'D', modified: 'M', renamed: 'R', copied: 'C', type_changed: 'T' } as const;

const listOf = (diff: Diff): readonly string[] =>
  diff.files.map((file) => `${LETTERS[file.status]} ${file.oldPathRaw} ${file.newPathRaw}`);

const OPTIONS = [
  ['the defaults', []],
  ['no context', ['-U0']],
  ['binary patches', ['--binary']],
  ['raw names', ['-c', 'core.quotePath=false']],
  ['copies', ['-C', '-C']],
  ['much context', ['-U20', '--patience']],
] as const;

const readDiff = ({ from, to }: Made, options: readonly string[]): Buffer => {
  if (options[0] !== '-c') return diffTexts(repository, from, to, ...options);
  return repository.git(...options, 'diff', '--full-index', '-M', from, to);
};

describe('random edits in real repositories', () => {
  test.each(OPTIONS)(
    'lists the files of git with the lines that stand at their numbers (%s)',
    (name, options) => {
      holds((made, change) => {
        const diff = parseDiff(readDiff(made, options));
        expect(listOf(diff)).toEqual(rawList(made, ...(name === 'copies' ? options : [])));
        for (const file of diff.files) {
          for (const line of numberedBytes(file)) {
            if (line.oldLine !== null) expect(rowAt(change.before, file.oldPathRaw, line.oldLine)).toBe(line.bytes);
            if (line.newLine !== null) expect(rowAt(change.after, file.newPathRaw, line.newLine)).toBe(line.bytes);
          }
        }
      });
    },
    TIMEOUT_MS,
  );

  test.each(OPTIONS)(
    'prints back what git printed, byte for byte (%s)',
    (name, options) => {
      holds((made) => {
        const bytes = readDiff(made, options);
        const diff = parseDiff(bytes);
        const printed = printDiff(diff, { quoteHigh: name !== 'raw names' });
        expect(printed?.toString('latin1')).toBe(bytes.toString('latin1'));
        expect(inspectDiff(parseDiff(printed ?? ''), { lines: true })).toEqual(inspectDiff(diff, { lines: true }));
      });
    },
    TIMEOUT_MS,
  );

  test(
    'counts as git does',
    () => {
      holds((made) => {
        const total = (diff: Diff) => diff.files.map((file) => [file.added, file.removed]);
        const numstat = repository.git('diff', '--numstat', '-z', '-M', made.from, made.to).toString('latin1');
        const counts = [...numstat.matchAll(/(\d+|-)\t(\d+|-)\t/g)].map((row) => [
          Number(row[1]) || 0,
          Number(row[2]) || 0,
        ]);
        expect(total(parseDiff(readDiff(made, [])))).toEqual(counts);
      });
    },
    TIMEOUT_MS,
  );

  test(
    'anchors every line of the diff to exactly its own numbers',
    () => {
      holds((made) => {
        const diff = parseDiff(readDiff(made, []));
        const unique = diff.files.filter((file) => !file.newPath.includes('\ufffd'));
        for (const file of unique) {
          for (const line of numberedBytes(file)) {
            const side = line.newLine === null ? 'old' : 'new';
            const number = line.newLine ?? line.oldLine ?? 0;
            const path = side === 'new' ? file.newPath : file.oldPath;
            const anchored = anchor(diff, { path, side, startLine: number, line: number });
            expect(anchored).toMatchObject({
              kind: 'anchored',
              snapped: false,
              position: {
                oldPath: file.oldPath,
                newPath: file.newPath,
                end: { kind: line.kind, oldLine: line.oldLine, newLine: line.newLine },
              },
            });
          }
        }
      });
    },
    TIMEOUT_MS,
  );

  test(
    'annotates in one go exactly what it annotates file by file and line by line',
    () => {
      holds((made) => {
        const { files } = parseDiff(readDiff(made, ['--binary']));
        const expected = files.map(annotateFile).join('\n');
        expect(annotate(files, { maxBytes: 1_000_000 }).text).toBe(expected);
        const exact = Buffer.byteLength(expected);
        expect(annotate(files, { maxBytes: exact }).omitted).toEqual([]);
        if (exact > 0) expect(annotate(files, { maxBytes: exact - 1 }).omitted).not.toEqual([]);
      });
    },
    TIMEOUT_MS,
  );

  test(
    'maps each old line to an equal new line or says that it is gone',
    () => {
      holds((made, change) => {
        const diff = parseDiff(readDiff(made, ['-U0']));
        const map = createLineMap(diff);
        for (const [name, node] of Object.entries(change.before)) {
          if (/[^\0-\x7f]/.test(name)) continue;
          const rows = rowsOf(node);
          const count = rows.at(-1) === '' ? rows.length - 1 : rows.length;
          const kept = Array.from({ length: count }, (_, index) => map(name, index + 1));
          for (const [index, now] of kept.entries()) {
            if (now.kind === 'at') expect(rowAt(change.after, now.path, now.line)).toBe(rows[index]);
          }
          const file = diff.files.find(
            (one) => one.oldPath === name && one.status !== 'copied' && one.status !== 'added',
          );
          const gone = kept.filter((now) => now.kind === 'gone').length;
          if (file?.status === 'modified' && !file.binary) expect(gone).toBe(file.removed);
          if (file === undefined) expect(gone).toBe(0);
        }
      });
    },
    TIMEOUT_MS,
  );
});
