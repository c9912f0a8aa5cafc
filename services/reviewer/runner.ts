import type { DraftFinding, OmittedFile, Spent, ThreadAnswer } from '../../shared/rounds/vocabulary.ts';
import type { Packet } from './packet.ts';

/** What a runner found, before anybody has checked it. */
export type RunnerDraft = {
  readonly summary: string;
  readonly findings: readonly DraftFinding[];
  /** Exactly one per open thread of the packet. */
  readonly answers: readonly ThreadAnswer[];
  /** Files of the packet that it could not look at after all. */
  readonly omitted: readonly OmittedFile[];
  readonly spent: Spent;
};

/**
 * One way to review a packet.
 * Contract: obeys the signal; throws `AppError` when it cannot give a draft; writes nothing anywhere.
 */
export type Runner = {
  readonly name: string;
  readonly run: (packet: Packet, signal: AbortSignal) => Promise<RunnerDraft>;
};
