import type { ProjectOfForge } from '../../../shared/store/board/pauses.ts';

/** The projects that a visitor may see. Every reading leaves out all others, also in its totals. */
export type Sight = {
  /** True if nothing is left out. Only then a page may show what belongs to no single project. */
  readonly isWhole: boolean;
  readonly sees: (project: ProjectOfForge) => boolean;
};

export const WHOLE_SIGHT: Sight = { isWhole: true, sees: () => true };

export const NO_SIGHT: Sight = { isWhole: false, sees: () => false };
