/**
 * Detects our signature on comments of another account: somebody copied a comment, or the bot got a new account without
 * `previousBotUserIds`. If the current account has no state of its own, guard must stop, because starting over would post
 * everything twice.
 */
import type { MarkerPayload } from '../model/marker-payload.ts';
import { calledFor } from './handoffs.ts';
import type { OwnMarker } from './own-markers.ts';

const UNKNOWN_ACCOUNT = 'unknown_bot_account';

/** True for a marker that the bot writes even in this situation, so it does not prove that the account has its own state. */
const saysNothing = (payload: MarkerPayload): boolean => {
  if (payload.kind === 'summary')
    return payload.phase !== 'reviewing' && payload.reviewed.length + payload.ledger.length === 0;
  return payload.kind === 'answer' || isLastWord(payload);
};

const isLastWord = (payload: MarkerPayload): boolean =>
  payload.kind === 'handoff' && calledFor(payload).every(({ reason }) => reason === UNKNOWN_ACCOUNT);

/** The result stays true at later heads: a hand-off of ours about the unknown account does not make us the owner. */
export const hasForeignSignature = (own: readonly OwnMarker[], foreign: boolean): boolean => {
  const said = own.map(({ payload }) => payload).filter(({ kind }) => kind !== 'answer');
  return foreign && said.every(saysNothing) && (said.length === 0 || said.some(isLastWord));
};
