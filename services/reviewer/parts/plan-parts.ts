/**
 * Plans a large change in parts, each small enough for one conversation. Depends only on its input, so every execution
 * makes the same plan.
 */
import { isProse } from '../../../shared/rules/model/language.ts';
import { compareText } from '../../../shared/text/compare-text.ts';
import { isRisky } from './risk.ts';

export type PlanFile = {
  readonly path: string;
  /** Bytes of the file, or of a piece of it, as the model reads it. */
  readonly bytes: number;
  readonly changedLines: number;
  /** Paths of the change that this file tests. Absent if it tests none. */
  readonly tests?: readonly string[];
  /** Paths of the change that this file imports. Absent if it imports none. */
  readonly imports?: readonly string[];
  /** True if an open thread about this file needs an answer. */
  readonly urgent?: boolean;
};

export type PlannedPart = {
  /** Indices of the files, in the order of the input. */
  readonly files: readonly number[];
  readonly bytes: number;
  readonly changedLines: number;
};

type Group = { readonly members: number[]; bytes: number };

/** Groups of files, which can be joined but never split. Every file is in exactly one group. */
type Groups = {
  readonly of: (file: number) => Group;
  /** Joins two groups if they fit into one part together. */
  readonly join: (one: number, other: number) => void;
  readonly all: () => readonly Group[];
};

const createGroups = (files: readonly PlanFile[], maxBytes: number): Groups => {
  const groups = files.map(({ bytes }, index): Group => ({ members: [index], bytes }));
  const of = (file: number): Group => groups[file] ?? { members: [], bytes: 0 };
  return {
    of,
    join: (one, other) => {
      const [into, from] = [of(one), of(other)];
      if (into === from || into.bytes + from.bytes > maxBytes) return;
      into.bytes += from.bytes;
      for (const member of from.members) {
        into.members.push(member);
        groups[member] = into;
      }
    },
    all: () => [...new Set(groups)],
  };
};

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

const groupBy = (files: readonly PlanFile[], keyOf: (file: PlanFile) => string): readonly (readonly number[])[] => {
  const found = new Map<string, number[]>();
  for (const [index, file] of files.entries()) {
    const key = keyOf(file);
    const known = found.get(key);
    if (known === undefined) found.set(key, [index]);
    else known.push(index);
  }
  return [...found].toSorted(([one], [two]) => compareText(one, two)).map(([, members]) => members);
};

/** Joins a file with the files that it names, such as a test with the file that it tests. */
const joinNamed = (
  groups: Groups,
  files: readonly PlanFile[],
  namedBy: (file: PlanFile) => readonly string[] | undefined,
): void => {
  const byPath = new Map<string, number>();
  for (const [index, { path }] of files.entries()) if (!byPath.has(path)) byPath.set(path, index);
  for (const [index, file] of files.entries())
    for (const path of namedBy(file) ?? []) {
      const named = byPath.get(path);
      if (named !== undefined) groups.join(named, index);
    }
};

/** Joins the files of each folder, if they fit into one part together with the groups that they already belong to. */
const joinFolders = (groups: Groups, files: readonly PlanFile[], maxBytes: number): void => {
  for (const members of groupBy(files, ({ path }) => folderOf(path))) {
    const together = new Set(members.map(groups.of));
    if ([...together].reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) continue;
    joinRow(groups, members);
  }
};

const joinRow = (groups: Groups, members: readonly number[]): void => {
  const [first] = members;
  if (first !== undefined) for (const member of members) groups.join(first, member);
};

/** If a folder does not fit into one part, joins neighbouring files as far as they fit. */
const joinNeighbours = (groups: Groups, files: readonly PlanFile[]): void => {
  for (const members of groupBy(files, ({ path }) => folderOf(path)))
    for (const [at, member] of members.entries()) {
      const before = members[at - 1];
      if (before !== undefined) groups.join(before, member);
    }
};

/**
 * Fills parts in the order of paths, so that neighbouring folders share a part. A group that does not fit goes into a
 * part that has room.
 */
const fillParts = (groups: Groups, files: readonly PlanFile[], maxBytes: number): readonly Group[] => {
  const pathOf = ({ members }: Group): string => files[Math.min(...members)]?.path ?? '';
  const inOrder = groups.all().toSorted((one, two) => compareText(pathOf(one), pathOf(two)));
  const parts: Group[] = [];
  for (const group of inOrder) {
    const isRoomy = ({ bytes }: Group): boolean => bytes + group.bytes <= maxBytes;
    const last = parts.at(-1);
    const into = last !== undefined && isRoomy(last) ? last : parts.find(isRoomy);
    if (into === undefined) parts.push({ members: [...group.members], bytes: group.bytes });
    else {
      into.members.push(...group.members);
      into.bytes += group.bytes;
    }
  }
  return parts;
};

type Weight = readonly number[];

/** Orders groups: first open threads that need an answer, then risky lines, then other code, then prose. */
const weightOf = ({ members }: Group, files: readonly PlanFile[]): Weight => {
  let [urgent, risky, code, all] = [0, 0, 0, 0];
  for (const member of members) {
    const file = files[member];
    if (file === undefined) continue;
    if (file.urgent === true) urgent = 1;
    if (isRisky(file.path)) risky += file.changedLines + 1;
    if (!isProse(file.path)) code += file.changedLines;
    all += file.changedLines;
  }
  return [urgent, risky, code, all];
};

const heavierFirst = (one: Weight, two: Weight): number => {
  const at = one.findIndex((value, index) => value !== two[index]);
  return at < 0 ? 0 : (two[at] ?? 0) - (one[at] ?? 0);
};

const partOf = ({ members, bytes }: Group, files: readonly PlanFile[]): PlannedPart => ({
  files: members.toSorted((one, two) => one - two),
  bytes,
  changedLines: members.reduce((sum, member) => sum + (files[member]?.changedLines ?? 0), 0),
});

/**
 * Puts every file into exactly one part of at most `maxBytes`, unless the file alone is larger. As far as they fit, it
 * keeps together a test with the file that it tests, then the files of a folder, then a file with the files that import
 * it. The parts are in the order in which to review them.
 */
export const planParts = (files: readonly PlanFile[], maxBytes: number): readonly PlannedPart[] => {
  const groups = createGroups(files, maxBytes);
  joinNamed(groups, files, ({ tests }) => tests);
  joinFolders(groups, files, maxBytes);
  joinNamed(groups, files, ({ imports }) => imports);
  joinNeighbours(groups, files);
  return fillParts(groups, files, maxBytes)
    .map((group, index) => ({ group, index, weight: weightOf(group, files) }))
    .toSorted((one, two) => heavierFirst(one.weight, two.weight) || one.index - two.index)
    .map(({ group }) => partOf(group, files));
};
