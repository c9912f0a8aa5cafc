/** Parsers of git and ripgrep output that contains untrusted names and texts. */
import { presentOutput } from '../../shared/agent/tools/bash-output.ts';
import { parseBatch, parseMatches, namesIn } from '../../shared/agent/tools/bash-sources.ts';
import type { CommitSha } from '../../shared/vocabulary/ids.ts';
import type { BashCommand } from '../../shared/workspace/bash/bash-command.ts';
import type { CageResult } from '../../shared/workspace/cage/cage.ts';
import { readCommits } from '../../shared/workspace/git/commits.ts';
import { listFiles } from '../../shared/workspace/git/file-list.ts';
import type { Git } from '../../shared/workspace/git/git.ts';
import { grep } from '../../shared/workspace/tree/grep.ts';
import { readContents, readSizes } from '../../shared/workspace/git/object-batch.ts';
import type { Tree } from '../../shared/workspace/tree/tree.ts';
import { parseTree } from '../../shared/workspace/git/trees.ts';
import type { LinearSubject } from './linear-subjects.ts';

const SIGNAL = new AbortController().signal;
const ID = 'a'.repeat(40);
/** Safe cast: every full id is valid. */
const COMMIT = ID as CommitSha;

const attempt = <Value>(read: () => Value): Value | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

const lines = (text: string): readonly string[] => text.split('\n');

const gitThatPrints = (stdout: string | Buffer): Git => ({
  gitPath: '/usr/bin/git',
  gitDir: '/nowhere',
  run: async () => ({ exitCode: 0, stdout: Buffer.from(stdout), stderr: '', timedOut: false, truncated: false }),
  spec: () => {
    throw new Error('no process is started here');
  },
});

/** Removes NUL, which file names in trees cannot contain. */
const nameOf = (text: string): string => text.replaceAll('\0', '');
const names = (text: string): readonly string[] => lines(nameOf(text)).filter((line) => line !== '');

export const PRINTED_SUBJECTS: readonly LinearSubject[] = [
  {
    name: 'ls-tree',
    read: async (text) =>
      listFiles(
        gitThatPrints(
          names(text)
            .map((name) => `100644 blob ${ID}       5\t${name}\0`)
            .join(''),
        ),
        LIST,
        SIGNAL,
      ),
  },
  {
    name: 'tree object',
    read: (text) =>
      attempt(() =>
        parseTree(
          Buffer.from(
            names(text)
              .map((name) => `100644 ${name}\0${'i'.repeat(20)}`)
              .join(''),
          ),
          20,
        ),
      ),
  },
  {
    name: 'cat-file --batch-check',
    read: async (text) =>
      readSizes(
        gitThatPrints(
          lines(text)
            .map(() => `${ID} blob 5\n`)
            .join(''),
        ),
        [ID],
        SIGNAL,
      ),
    // One line per file of a change before and after it, for at most 40,000 files.
    most: 64 * 1024,
  },
  {
    name: 'cat-file --batch',
    read: async (text) =>
      readContents(gitThatPrints(lines(text).map(batched).join('')), { objectIds: [ID], maxBytes: 1e9 }, SIGNAL),
  },
  {
    name: 'cat-file for a model',
    read: (text) => parseBatch(Buffer.from(lines(text).map(batched).join('')), lines(text)),
  },
  {
    name: 'log',
    read: async (text) => {
      const record = `${ID}\n${ID}\n1\nann\nsubject\n`;
      return readCommits(
        gitThatPrints(`${record}${text}\0${record}`),
        { base: COMMIT, head: COMMIT, maxCommits: 100 },
        SIGNAL,
      );
    },
  },
  { name: 'output for a model', read: async (text) => presentOutput(LOG, printed(text), NO_SOURCES) },
  { name: 'patches for a model', read: (text) => namesIn({ objects: [], patches: true, matches: false }, text) },
  {
    name: 'index lines of a patch',
    read: (text) =>
      namesIn({ objects: [], patches: true, matches: false }, `index ${ID}${`,${ID}`.repeat(text.length / 41)}`),
  },
  { name: 'git grep', read: (text) => [parseMatches(text), parseMatches(lines(text).map(matched).join(''))] },
  { name: 'ripgrep', read: async (text) => grep(treeThatPrints(text), { pattern: 'a' }, SIGNAL) },
  {
    name: 'ripgrep, matches',
    read: async (text) =>
      grep(
        treeThatPrints(
          lines(text)
            .map((line) => `a\x00${line.length}:${line}\n`)
            .join(''),
        ),
        { pattern: 'a' },
        SIGNAL,
      ),
  },
];

const LOG: BashCommand = {
  kind: 'command',
  program: 'git',
  args: ['log', '-p'],
  sources: { objects: [], patches: true, matches: false },
  patterns: false,
};
const NO_SOURCES = { read: async () => ({ kind: 'lines', byName: new Map() }) as const, signal: SIGNAL };
const printed = (text: string): CageResult => ({
  code: 0,
  signal: null,
  stdout: Buffer.from(nameOf(text)),
  stderr: '',
  truncated: false,
  timedOut: false,
});

const LIST = { commit: COMMIT, maxFiles: 100_000 };
const batched = (line: string): string => `${ID} blob ${Buffer.byteLength(line)}\n${line}\n`;
const matched = (line: string): string => `HEAD:${nameOf(line)}\x001\0${line}\n`;

const treeThatPrints = (stdout: string): Tree => ({
  read: async () => ({ kind: 'refused', reason: 'not asked for' }),
  locate: async () => ({ kind: 'inside', path: '', entry: 'folder' }),
  ripgrep: async () => ({ exitCode: 0, stdout: Buffer.from(stdout), stderr: '', timedOut: false, truncated: false }),
  close: async () => {},
});
