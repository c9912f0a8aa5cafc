import { z } from 'zod';

export const ReviewMode = z.enum(['change', 'codebase']);
export type ReviewMode = z.output<typeof ReviewMode>;
