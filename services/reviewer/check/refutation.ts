/** Finds the code to show with each unverified claim of an earlier review, and checks whether the claim was refuted. */
import { linesOf } from '../../../shared/diff/position/quoted-place.ts';
import type { Refutation } from '../../../shared/vocabulary/finding.ts';
import { findEvidence } from '../../../shared/text/normalise-evidence.ts';
import type { Redactor } from '../../../shared/text/redact.ts';
import type { Packet, PacketThread } from '../packet/packet.ts';

type Sources = Pick<Packet, 'unverified' | 'headText' | 'baseText'>;

const AROUND = 12;

/** Returns the current code around the claim with line numbers; empty if its lines are gone. */
export const codeAround = async (
  { now }: Pick<PacketThread, 'now'>,
  { headText, baseText }: Pick<Sources, 'headText' | 'baseText'>,
): Promise<string> => {
  const text = now === null ? null : await (now.side === 'new' ? headText : baseText)(now.path);
  if (now === null || text === null) return '';
  const first = Math.max(1, now.startLine - AROUND);
  const lines = linesOf(text, { startLine: first, line: now.line + AROUND });
  return lines.map((line, index) => `${first + index}:${line}`).join('\n');
};

/** A claim can be refuted only if its code was shown, and only with a quote from its own file. */
export const isRefuted = async (
  { findingId, evidence }: Refutation,
  { unverified, headText, baseText }: Sources,
  redact: Redactor,
): Promise<boolean> => {
  const thread = unverified.find(({ id }) => id === findingId);
  if (thread === undefined || evidence.trim() === '') return false;
  const isShown = thread.now === null || (await codeAround(thread, { headText, baseText })) !== '';
  const paths = [...new Set([thread.now?.path ?? thread.place.path, thread.place.path])];
  const texts = await Promise.all(paths.flatMap((path) => [headText(path), baseText(path)]));
  return isShown && texts.some((text) => text !== null && findEvidence(evidence, text, redact) !== null);
};
