/** Issues that a change request closes: a part of `port.ts`, under the same contract. */
import type { ChangeRequest } from '../vocabulary/ids.ts';
import type { ChangeRequestFacts } from './port-facts.ts';

export type ClosedIssue = { readonly number: number; readonly title: string; readonly text: string };

export const MAX_CLOSED_ISSUES = 3;

export interface ReadsClosedIssues {
  /**
   * The first three issues of the same project that a merge will close, without those that not every reader of the project may
   * see. Contract: no request when title and description refer to no issue; otherwise one, or one for each issue.
   */
  fetchClosedIssues(
    of: ChangeRequest,
    words: Pick<ChangeRequestFacts, 'title' | 'description'>,
    signal: AbortSignal,
  ): Promise<readonly ClosedIssue[]>;
}
