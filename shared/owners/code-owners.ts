/** The result of parsing CODEOWNERS in any syntax. */

/** Names as they are mentioned, without "@", in the order of the file, without duplicates. */
export type Owners = {
  readonly people: readonly string[];
  /** Groups and teams, which have a slash in their name. A top-level GitLab group has no slash, so it looks like a person. */
  readonly groups: readonly string[];
};

export type CodeOwners = {
  readonly ownersOf: (path: string) => Owners;
  /** The owners named in any line. */
  readonly named: Owners;
  /** Number of lines that are malformed, unsupported or beyond a limit. Final only after the file has been parsed. */
  readonly skipped: number;
};

export const NOBODY: Owners = { people: [], groups: [] };

/** On GitLab a name may begin with a dot. */
const PERSON = /^(?:\w|[\w.][\w.-]{0,253}\w)$/;
const GROUP = /^[\w.][\w.-]{0,254}(?:\/[\w.-]{1,255}){1,20}$/;

/** GitLab interprets `all` as everybody who may see the project. */
const isEverybody = (name: string): boolean => name.toLowerCase() === 'all';

/** Leaves out addresses, roles and everything else that is not a mention on any forge. */
export const toOwners = (names: readonly string[]): Owners => {
  const unique = [...new Map(names.toReversed().map((name) => [name.toLowerCase(), name])).values()].toReversed();
  return {
    people: unique.filter((name) => PERSON.test(name) && !isEverybody(name)),
    groups: unique.filter((name) => GROUP.test(name) && /\w$/.test(name)),
  };
};

export const joinOwners = (all: readonly Owners[]): Owners =>
  toOwners(all.flatMap(({ people, groups }) => [...people, ...groups]));
