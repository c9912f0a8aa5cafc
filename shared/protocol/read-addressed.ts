import type { ReviewAddressedBody } from './bodies.ts';
import { parseMessage } from './parse-message.ts';

export type AddressedReading =
  | { readonly kind: 'addressed'; readonly body: ReviewAddressedBody }
  | { readonly kind: 'refused'; readonly reason: string };

const refused = (reason: string): AddressedReading => ({ kind: 'refused', reason });

/** `head`: full id of the worktree's commit, which the answer must name. */
export const readAddressed = (
  stdout: string,
  { round, head }: { readonly round: number; readonly head: string },
): AddressedReading => {
  const reading = parseMessage(stdout);
  if (reading.kind === 'refused') {
    const [first] = reading.problems;
    return refused(`the answer is not a protocol message: ${first?.field ?? ''} ${first?.message ?? ''}`.trim());
  }
  const { message } = reading;
  if (message.type !== 'review_addressed') return refused(`the answer is ${message.type}; expected review_addressed`);
  if (message.body.round !== round) return refused(`the answer is for round ${message.body.round}; expected ${round}`);
  return head.startsWith(message.body.commit_sha)
    ? { kind: 'addressed', body: message.body }
    : refused('body.commit_sha is not the head of the work tree');
};
