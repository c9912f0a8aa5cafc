/** The line that begins a section of GitLab's CODEOWNERS: `[Name]`, `^[Name]` or `[Name][2] @owner`. */

export type SectionHeader = {
  readonly name: string;
  /** Owners of the patterns that name no owner. */
  readonly defaultOwners: string;
};

/** Accepts the marks for an optional section and for the number of required approvals, but does not return them. */
const HEADER = /^\^?\[([^\]]*)\](?:\[[\s\d]*\])?([@\w.\-/\s]*)/;

export const readSectionHeader = (line: string): SectionHeader | null => {
  const [found, name = '', defaultOwners = ''] = HEADER.exec(line) ?? [];
  return found === undefined ? null : { name, defaultOwners: defaultOwners.trim() };
};

/** Returns true for a line that begins like a header. GitLab skips such a line if it is not a valid header. */
export const isHeaderLike = (line: string): boolean => /^\^?\[/.test(line);
