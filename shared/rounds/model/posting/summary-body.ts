/** The parts of the summary. Only the poster writes the tags of a fold; no text may bring its own. */
import { z } from 'zod';

/** Markdown that may contain text from the model. */
export const Text = z.string().max(200_000);

/** A section that is collapsed until a reader opens it. */
export const Fold = z.object({
  /** One line of plain words. */
  title: z.string().min(1).max(120),
  text: Text,
});
export type Fold = z.output<typeof Fold>;

export const SummaryBody = z.object({
  text: Text,
  /** Absent: none. */
  folds: z.array(Fold).max(20).optional(),
  /** The last line. Absent: none. */
  foot: z.string().max(1_000).optional(),
});
export type SummaryBody = z.output<typeof SummaryBody>;

export const FOLD_BEGIN = '<details>';
export const FOLD_END = '</details>';
