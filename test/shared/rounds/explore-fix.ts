import type { FixReport } from '../../../shared/rounds/model/fix-brief.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import type { Fix } from '../../../shared/rounds/model/fixes.ts';

/** As the author leaves it in the store. */
export const reportOf = ({ runId, head, review, end }: Fix): FixReport | null =>
  end?.kind !== 'fixed'
    ? null
    : {
        v: 1,
        runId,
        head,
        review,
        commit: end.pushed === null ? null : { sha: end.pushed, tree: 'c'.repeat(40) },
        summary: '',
        touchedFiles: [],
        addressedFindingIds: [],
        declines: [],
        spent: NOTHING_SPENT,
        failedValidations: [],
      };
