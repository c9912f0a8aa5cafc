/**
 * Inline comments of one review with the same path and line form a thread. The thread id contains the values that a
 * reply must repeat.
 */
import { z } from 'zod';
import { ForgeRequestError } from '../errors.ts';

const ThreadId = z.strictObject({
  review: z.number().int().positive(),
  path: z.string().min(1),
  /** Line number: positive on the new side, negative on the old side. */
  line: z
    .number()
    .int()
    .refine((line) => line !== 0),
  /** Id of the oldest comment in the thread. */
  root: z.number().int().positive(),
});
export type ThreadId = z.output<typeof ThreadId>;

export const formatThreadId = ({ review, path, line, root }: ThreadId): string =>
  JSON.stringify({ review, path, line, root });

const read = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return null;
  }
};

/** Throws FORGE_BAD_THREAD for a string that `formatThreadId` did not produce. */
export const parseThreadId = (text: string): ThreadId => {
  const parsed = ThreadId.safeParse(read(text));
  if (parsed.success) return parsed.data;
  throw new ForgeRequestError({
    code: 'FORGE_BAD_THREAD',
    message: 'the thread id does not belong to this forge',
    disposition: { kind: 'fail' },
    cause: parsed.error,
  });
};
