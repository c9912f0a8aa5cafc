/** The result of parsing CODEOWNERS, in whatever syntax. */

/** Names as they are mentioned, without "@", in the order of the file, each once. */
export type Owners = {
  readonly people: readonly string[];
  /** Groups and teams: a name with a slash. A top-level GitLab group has none and looks like a person. */
  readonly groups: readonly string[];
};

export type CodeOwners = {
  readonly ownersOf: (path: string) => Owners;
  /** The owners named in any line. */
  readonly named: Owners;
  /** Lines that are malformed, cannot be read here, or are beyond a limit. Counted after the file has been parsed. */
  readonly skipped: number;
};

export const NOBODY: Owners = { people: [], groups: [] };

const PERSON = /^\w(?:[\w.-]{0,253}\w)?$/;
const GROUP = /^\w[\w.-]{0,254}(?:\/[\w.-]{1,255}){1,20}$/;

/** GitLab reads `all` as everybody who may see the project. */
const isEverybody = (name: string): boolean => name.toLowerCase() === 'all';

/** Leaves out addresses, roles and everything else that no forge reads as a mention. */
export const toOwners = (names: readonly string[]): Owners => {
  const unique = [...new Map(names.toReversed().map((name) => [name.toLowerCase(), name])).values()].toReversed();
  return {
    people: unique.filter((name) => PERSON.test(name) && !isEverybody(name)),
    groups: unique.filter((name) => GROUP.test(name) && /\w$/.test(name)),
  };
};

export const joinOwners = (all: readonly Owners[]): Owners =>
  toOwners(all.flatMap(({ people, groups }) => [...people, ...groups]));
