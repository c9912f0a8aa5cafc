import { z } from 'zod';

/** A review of one change, or of a whole code base. */
export const ReviewMode = z.enum(['change', 'codebase']);
export type ReviewMode = z.output<typeof ReviewMode>;
