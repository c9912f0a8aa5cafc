/** The relation of known findings to the current change; it is computed again for every reviewed input. */
import type { MovedThread } from './draft.ts';
import type { FindingId } from '../../vocabulary/ids.ts';

/** Sets or clears `outside`. If the draft contains no places of threads, `outside` stays unchanged. */
export const relationAfter = (
  { id, outside }: { readonly id: FindingId; readonly outside?: true | undefined },
  moved: readonly MovedThread[],
): { readonly outside?: true | undefined } => {
  if (moved.length === 0) return outside === undefined ? {} : { outside };
  return { outside: moved.find(({ findingId }) => findingId === id)?.outside };
};
