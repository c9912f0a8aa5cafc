import { z } from 'zod';

/**
 * A list from which an element that is null or cannot be read is left out. Only for a list in which a missing element is
 * harmless. A list that answers "did I write this already", "may this account write" or "has the CI passed" must fail
 * instead: Fixpoint would otherwise post twice, trust an account, or report a change as clean.
 */
export const readableItems = <S extends z.ZodType>(item: S) =>
  z.array(item.nullable().catch(null)).transform((items) => items.filter((each) => each !== null));
