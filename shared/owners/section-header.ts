/** `[Name]`, `^[Name]`, `[Name][2] @owner`: the line that begins a section of GitLab's CODEOWNERS. */

export type SectionHeader = {
  readonly name: string;
  /** Of the patterns that name none. */
  readonly defaultOwners: string;
};

/** Whether it is optional and how many must approve is of no interest here. */
const HEADER = /^\^?\[([^\]]*)\](?:\[[\s\d]*\])?([@\w.\-/\s]*)/;

export const readSectionHeader = (line: string): SectionHeader | null => {
  const [found, name = '', defaultOwners = ''] = HEADER.exec(line) ?? [];
  return found === undefined ? null : { name, defaultOwners: defaultOwners.trim() };
};

/** Begins like a header and is none: GitLab skips it. */
export const isHeaderLike = (line: string): boolean => /^\^?\[/.test(line);
