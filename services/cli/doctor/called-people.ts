/**
 * Checks whether there is anyone to mention in a project, through its default branch's CODEOWNERS or the operator's
 * settings.
 */
import type { FileText, FindsNames, ReadsFiles } from '../../../shared/forge/port-owners.ts';
import type { Project } from '../../../shared/forge/port-facts.ts';
import type { Owners } from '../../../shared/owners/code-owners.ts';
import { MAX_OWNERS_BYTES, type OwnersSyntax } from '../../../shared/owners/owners-syntax.ts';
import { ok, type Seen, warn } from './check.ts';

export type CalledPeople = {
  readonly syntax: OwnersSyntax;
  /** Logins that the operator has named. */
  readonly operators: readonly string[];
  readonly mentionGroups: boolean;
};

/** The project that is checked with the poster's token. */
type Place = { readonly read: ReadsFiles & FindsNames; readonly project: Project };

export const calledPeopleSeen = async (
  called: CalledPeople,
  place: Place,
  signal: AbortSignal,
): Promise<readonly Seen[]> => {
  const found = await findFile(called, place, signal);
  const owners = found === null ? NO_OWNERS : await lookAtFile(called, place, found, signal);
  return owners.reachesSomebody || called.operators.length > 0 ? owners.seen : [...owners.seen, nobodySeen(place)];
};

type Found = { readonly path: string; readonly file: FileText };
type Looked = { readonly seen: readonly Seen[]; readonly reachesSomebody: boolean };

const NO_OWNERS: Looked = { seen: [], reachesSomebody: false };

const findFile = async (
  { syntax }: CalledPeople,
  { read, project }: Place,
  signal: AbortSignal,
): Promise<Found | null> => {
  for (const path of syntax.places) {
    const at = { projectId: project.id, branch: project.defaultBranch, path };
    const file = await read.fetchFile(at, MAX_OWNERS_BYTES, signal);
    if (file !== null) return { path, file };
  }
  return null;
};

const lookAtFile = async (
  called: CalledPeople,
  place: Place,
  { path, file }: Found,
  signal: AbortSignal,
): Promise<Looked> => {
  const where = `${place.project.path}: ${path}`;
  if (file.kind !== 'text') {
    const why = file.kind === 'too_large' ? `is larger than ${MAX_OWNERS_BYTES} bytes` : 'is not text';
    return {
      ...NO_OWNERS,
      seen: [warn(`${where} ${why}, so no code owner is mentioned`, `make ${path} a smaller text file`)],
    };
  }
  const { skipped, named } = called.syntax.parse(file.text);
  const reachesSomebody = await isAnyKnown(called, place, named, signal);
  const what = reachesSomebody
    ? 'names people to mention when a person must decide'
    : 'names nobody who may be mentioned';
  return { seen: [...skippedSeen(where, skipped), ok(`${where} ${what}`)], reachesSomebody };
};

const skippedSeen = (where: string, skipped: number): readonly Seen[] =>
  skipped === 0
    ? []
    : [warn(`${where}: these lines cannot be read and are skipped: ${skipped}`, 'correct or remove these lines')];

/** Maximum number of names that are looked up. One person who can be mentioned is enough. */
const MAX_LOOK_UPS = 10;

/** A name may also belong to a group, or to nobody. */
const isAnyKnown = async (
  { mentionGroups }: CalledPeople,
  { read }: Place,
  { people, groups }: Owners,
  signal: AbortSignal,
): Promise<boolean> => {
  for (const name of [...people, ...(mentionGroups ? groups : [])].slice(0, MAX_LOOK_UPS)) {
    const found = await read.findName(name, signal);
    if (found?.kind === 'person' || (found?.kind === 'group' && mentionGroups)) return true;
  }
  return false;
};

const nobodySeen = ({ project }: Place): Seen =>
  warn(
    `${project.path}: if there are no code owners, operators.logins or human reviewers, the author is mentioned when a person must decide; in a change request that a bot opened, nobody is mentioned`,
    'set operators.logins, or add a CODEOWNERS file to the default branch',
  );
