/** What every request pays for tools and instructions, in tokens as the simulated Messages API counts them. */
import type { RequestEntry } from '../sim/messages/log.ts';
import type { PromptRequest } from '../sim/messages/request.ts';
import { type Segment, segmentsOf } from '../sim/messages/segments.ts';

/** `small` and `large`: reviewers of changes of that size. */
export const FIXED_LIMITS = { small: 1_600, large: 2_600, explorer: 1_000, finder: 950, verifier: 950 } as const;

const tokensOf = ({ request }: Pick<RequestEntry, 'request'>, isCounted: (segment: Segment) => boolean): number =>
  // Safe cast: the request of an entry was parsed.
  segmentsOf(request as PromptRequest)
    .filter(isCounted)
    .reduce((sum, { tokens }) => sum + tokens, 0);

export const fixedTokens = (entry: Pick<RequestEntry, 'request'>): number =>
  tokensOf(entry, ({ level }) => level !== 'messages');

export const toolTokens = (entry: Pick<RequestEntry, 'request'>): number =>
  tokensOf(entry, ({ level }) => level === 'tools');

/** What differs per review: the change, its surroundings and what was said before. */
export const ownTokens = (entry: Pick<RequestEntry, 'request'>): number =>
  tokensOf(entry, ({ level }) => level === 'messages');
