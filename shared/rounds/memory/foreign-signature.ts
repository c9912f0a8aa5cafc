/**
 * A good signature under an account that is not ours: the bot has changed its account and nobody says so, or somebody has
 * copied its words. Whoever has said nothing of his own there is no bot that goes on, and starting over would say
 * everything twice.
 */
import type { MarkerPayload } from '../model/marker-payload.ts';
import { calledFor } from './handoffs.ts';
import type { OwnMarker } from './own-markers.ts';

/** The reason of the hand-off that such a head gets. */
const UNKNOWN_ACCOUNT = 'unknown_bot_account';

/** What may be said about such a head: that it is none of ours, and answers to commands. */
const saysNothing = (payload: MarkerPayload): boolean => {
  if (payload.kind === 'summary')
    return payload.phase !== 'reviewing' && payload.reviewed.length + payload.ledger.length === 0;
  return payload.kind === 'answer' || isLastWord(payload);
};

const isLastWord = (payload: MarkerPayload): boolean =>
  payload.kind === 'handoff' && calledFor(payload).every(({ reason }) => reason === UNKNOWN_ACCOUNT);

/** It stays so from head to head: a first hand-off makes nobody the owner of what stands there. */
export const hasForeignSignature = (own: readonly OwnMarker[], foreign: boolean): boolean => {
  const said = own.map(({ payload }) => payload).filter(({ kind }) => kind !== 'answer');
  return foreign && said.every(saysNothing) && (said.length === 0 || said.some(isLastWord));
};
