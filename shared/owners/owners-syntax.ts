/** Where each kind of forge looks for CODEOWNERS, and how it reads the file. */
import type { ForgeKind } from '../vocabulary/forge-kind.ts';
import type { CodeOwners } from './code-owners.ts';
import { parseForgejoOwners } from './parse-forgejo.ts';
import { parseGitlabOwners } from './parse-gitlab.ts';

export type OwnersSyntax = {
  /** Paths in the order in which the forge looks for the file. The first file that exists counts. */
  readonly places: readonly string[];
  readonly parse: (text: string) => CodeOwners;
};

/** A CODEOWNERS file above this size is skipped. */
export const MAX_OWNERS_BYTES = 1_048_576;

export const OWNERS_SYNTAX: Readonly<Record<ForgeKind, OwnersSyntax>> = {
  forgejo: {
    places: ['CODEOWNERS', 'docs/CODEOWNERS', '.gitea/CODEOWNERS', '.forgejo/CODEOWNERS'],
    parse: (text) => parseForgejoOwners(text, { dropsSlash: false }),
  },
  gitea: {
    places: ['CODEOWNERS', 'docs/CODEOWNERS', '.gitea/CODEOWNERS'],
    parse: (text) => parseForgejoOwners(text, { dropsSlash: true }),
  },
  gitlab: {
    places: ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'],
    parse: parseGitlabOwners,
  },
};
