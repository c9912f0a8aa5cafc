/** Chooses once which people each part of a plan mentions; later attempts reuse the names. */
import type { Difference } from '../../../shared/rounds/plan/difference.ts';
import { postingKey } from '../../../shared/rounds/plan/difference.ts';
import type { PersonCall } from '../../../shared/rounds/model/posting/post-plan.ts';
import type { CalledNames } from '../../../shared/store/called-names.ts';
import type { Calling } from './call-forge.ts';
import { chooseCalled } from './choose-called.ts';
import { createFindOwners } from './find-owners.ts';

type Part = { readonly key: string; readonly calls: PersonCall | undefined };

/** Edits of existing comments notify nobody, so only new comments count. */
const partsOf = ({ replies, notices }: Pick<Difference, 'replies' | 'notices'>): readonly Part[] => [
  ...replies
    .filter(({ reply }) => reply.calls !== undefined)
    .map(({ reply }) => ({ key: postingKey(reply.marker), calls: reply.calls })),
  ...notices.filter(({ mention }) => mention).map(({ marker, calls }) => ({ key: postingKey(marker), calls })),
];

/** Returns names by posting key. Asks the forge only about parts that are about to be written. */
export const nameCalled = async (
  calling: Calling & { readonly planId: string; readonly called: CalledNames },
  rest: Pick<Difference, 'replies' | 'notices'>,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const { planId, called } = calling;
  const findOwners = createFindOwners(calling);
  const named = new Map<string, readonly string[]>();
  for (const { key, calls } of partsOf(rest)) {
    const frozen = await called.load(planId, key);
    named.set(key, frozen ?? (await called.freeze(planId, key, await chooseCalled(calling, findOwners, calls))));
  }
  return named;
};
