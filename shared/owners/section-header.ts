/** `[Name]`, `^[Name]`, `[Name][2] @owner`: the line that begins a section of GitLab's CODEOWNERS. */

export type SectionHeader = {
  readonly name: string;
  /** Owners of the patterns that name none. */
  readonly defaultOwners: string;
};

/** Ignores whether the section is optional and how many must approve. */
const HEADER = /^\^?\[([^\]]*)\](?:\[[\s\d]*\])?([@\w.\-/\s]*)/;

export const readSectionHeader = (line: string): SectionHeader | null => {
  const [found, name = '', defaultOwners = ''] = HEADER.exec(line) ?? [];
  return found === undefined ? null : { name, defaultOwners: defaultOwners.trim() };
};

/** True for a line that begins like a header; if it is not one, GitLab skips it. */
export const isHeaderLike = (line: string): boolean => /^\^?\[/.test(line);
