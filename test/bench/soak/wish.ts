/** The options of `npm run bench -- soak`. */
import { z } from 'zod';

export type SoakWish = {
  readonly minutes: number;
  readonly changeRequests: number;
  /** True if a simulated model reviews too; otherwise only rules do. */
  readonly withModel: boolean;
};

const DEFAULTS = { minutes: 12, changeRequests: 500 };

export const SOAK_OPTIONS = {
  minutes: { type: 'string' },
  'change-requests': { type: 'string' },
  model: { type: 'boolean' },
} as const;

/** Below a minute there are too few samples for a slope. */
const Minutes = z.coerce.number().min(1).max(1_440);
const Count = z.coerce.number().int().min(1).max(100_000);

/** Returns a sentence if an option is not valid. */
export const parseSoakWish = (values: {
  readonly minutes?: string | undefined;
  readonly 'change-requests'?: string | undefined;
  readonly model?: boolean | undefined;
}): SoakWish | string => {
  const minutes = Minutes.safeParse(values.minutes ?? DEFAULTS.minutes);
  const count = Count.safeParse(values['change-requests'] ?? DEFAULTS.changeRequests);
  if (!minutes.success) return '--minutes takes a number from 1 to 1440';
  if (!count.success) return '--change-requests takes a whole number from 1 to 100000';
  return { minutes: minutes.data, changeRequests: count.data, withModel: values.model ?? false };
};
