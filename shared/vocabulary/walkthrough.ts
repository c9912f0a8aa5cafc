/** One line, for readers of the summary, about what changes in a file. */
import { z } from 'zod';

export const MAX_WALKTHROUGH = 100;
export const MAX_WALKTHROUGH_CHARACTERS = 300;

export const Walkthrough = z
  .array(z.object({ path: z.string().min(1).max(4096), text: z.string().min(1).max(MAX_WALKTHROUGH_CHARACTERS) }))
  .max(MAX_WALKTHROUGH);
export type Walkthrough = z.output<typeof Walkthrough>;
