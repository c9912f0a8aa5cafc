/** Where a kind of forge looks for CODEOWNERS, and how it reads the file. */
import type { CodeOwners } from './code-owners.ts';

export type OwnersSyntax = {
  /** Paths in the order in which the forge looks for the file. The first file that exists counts. */
  readonly places: readonly string[];
  readonly parse: (text: string) => CodeOwners;
};

/** A CODEOWNERS file above this size is skipped. */
export const MAX_OWNERS_BYTES = 1_048_576;
