/**
 * CODEOWNERS as GitLab reads it: each section gives the owners of its last matching pattern, unless one of its patterns excludes
 * the file. Lines that GitLab accepts with a warning are accepted here too.
 * Sources: https://docs.gitlab.com/user/project/codeowners/reference/ and, for details, `ee/lib/gitlab/code_owners/` of
 * GitLab 18.9.
 */
import { type CodeOwners, joinOwners, NOBODY, type Owners, toOwners } from '../../owners/code-owners.ts';
import { compileFilePattern, type FilePattern } from '../../owners/file-pattern.ts';
import { isHeaderLike, readSectionHeader, type SectionHeader } from './section-header.ts';
import { createWorkLimit } from '../../owners/work-limit.ts';

type Entry = {
  readonly glob: FilePattern;
  /** Length of the entry's pattern. */
  readonly cost: number;
  /** Null when files that match have no owner in this section. */
  readonly owners: Owners | null;
};

/** Entries by pattern. A repeated pattern replaces the first one and keeps its position. */
type Section = Map<string, Entry>;

/** Maximum number of lines with a pattern; further lines are skipped. */
const MAX_ENTRIES = 10_000;

/** Maximum of pattern characters times path characters, which takes about half a second. */
const MAX_STEPS = 50_000_000;

const OUTSIDE_SECTIONS = 'codeowners';

export const parseGitlabOwners = (text: string): CodeOwners => {
  const sections = new Map<string, Section>([[OUTSIDE_SECTIONS, new Map()]]);
  let current: SectionHeader = { name: OUTSIDE_SECTIONS, defaultOwners: '' };
  let entries = 0;
  let skipped = 0;
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const header = readSectionHeader(line);
    if (header !== null) {
      current = { ...header, name: sameSection(header.name, [...sections.keys()]) };
      if (!sections.has(current.name)) sections.set(current.name, new Map());
      continue;
    }
    const read = isHeaderLike(line) || entries >= MAX_ENTRIES ? null : readEntry(line, current.defaultOwners);
    if (read === null) skipped += 1;
    else {
      entries += 1;
      sections.get(current.name)?.set(read.pattern, read.entry);
    }
  }
  const all = [...sections.values()];
  const named = joinOwners(all.flatMap((section) => [...section.values()].map(({ owners }) => owners ?? NOBODY)));
  return { ownersOf: (path) => ownersIn(all, path), named, skipped };
};

/** Section names ignore case, except for the first section after the lines that belong to no section. */
const sameSection = (name: string, known: readonly string[]): string =>
  known.length === 1 ? name : (known.find((each) => each.toLowerCase() === name.toLowerCase()) ?? name);

const ownersIn = (sections: readonly Section[], path: string): Owners => {
  const limit = createWorkLimit(MAX_STEPS);
  const rooted = path.startsWith('/') ? path : `/${path}`;
  return joinOwners(
    sections.map((section) => {
      const matching = [...section.values()].filter(
        ({ glob, cost }) => limit.spend(cost * rooted.length) && glob.matches(rooted),
      );
      return matching.some(({ owners }) => owners === null) ? NOBODY : (matching.at(-1)?.owners ?? NOBODY);
    }),
  );
};

/** Returns null when the pattern can match nothing. */
const readEntry = (line: string, defaultOwners: string): { readonly pattern: string; readonly entry: Entry } | null => {
  const { word, rest } = splitAtSpace(line);
  const isExclusion = word.startsWith('!');
  const pattern = rootedPattern(isExclusion ? word.slice(1) : word);
  const glob = compileFilePattern(pattern);
  const owners = isExclusion ? null : toOwners(namesIn(rest === '' ? defaultOwners : rest));
  if (glob === null) return null;
  return { pattern, entry: { glob, cost: pattern.length, owners } };
};

/** Splits at the first blank that has no backslash before it. */
const splitAtSpace = (line: string): { readonly word: string; readonly rest: string } => {
  for (let at = 0; at < line.length; at += 1) {
    if (/\s/.test(line.charAt(at)) && line[at - 1] !== '\\')
      return { word: line.slice(0, at), rest: line.slice(at).trim() };
  }
  return { word: line, rest: '' };
};

const rootedPattern = (written: string): string => {
  if (written === '*') return '/**/*';
  const plain = written.replace(/^\\#/, '#').replaceAll(/\\\s/g, ' ');
  const rooted = plain.startsWith('/') ? plain : `/**/${plain}`;
  return rooted.endsWith('/') ? `${rooted}**/*` : rooted;
};

/** Matches neither an address, which has a name before the "@", nor a role, which begins with "@@". */
const MENTION = /(?<![\w@])@([\w.][\w./-]*)/g;

const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(MENTION)].map(([, name = '']) => name.replace(/[./]$/, ''));
