/** Mutants that change nothing that a test could notice, each with the reason. At most 5 in 100 of a folder. */
export type Equivalent = {
  /** From the root of the project. */
  readonly file: string;
  /** The line that is changed, without its indentation. */
  readonly code: string;
  /** As Stryker prints it. */
  readonly replacement: string;
  readonly reason: string;
};

export const EQUIVALENT: readonly Equivalent[] = [];
