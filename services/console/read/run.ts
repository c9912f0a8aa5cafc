import { TranscriptUnreadableError } from '../../../shared/agent/pack-transcript.ts';
import { loadConversations, type RecordedConversation } from '../../../shared/overview/recorded-run.ts';
import { Brief } from '../../../shared/rounds/model/brief.ts';
import { createDocumentStore } from '../../../shared/store/documents.ts';
import { transcriptsOf } from '../../../shared/store/transcripts.ts';
import { type ChangeRequest, changeRequestKey, RunId } from '../../../shared/vocabulary/ids.ts';
import { type RunSummary, summaryOf } from './run-summary.ts';
import type { PageSource } from './source.ts';

export type RunReading = {
  readonly of: ChangeRequest;
  readonly runId: RunId;
  readonly review: number;
  readonly attempt: number;
  readonly head: string;
  readonly stage: string;
  readonly summary: RunSummary;
  /** Null if another version of Fixpoint recorded them. */
  readonly conversations: readonly RecordedConversation[] | null;
};

/** Null if the run is not one of this change request, or no longer stored. */
export const readRun = async (source: PageSource, of: ChangeRequest, given: string): Promise<RunReading | null> => {
  const runId = RunId.safeParse(given).data;
  if (runId === undefined || !source.sight.sees(of)) return null;
  const { redis, keys, config, clean } = source;
  const brief = await createDocumentStore(redis, Brief).load(keys.ofRun(runId, 'brief'));
  if (brief === null || changeRequestKey(brief.changeRequest) !== changeRequestKey(of)) return null;
  const stored = await conversationsOrNull(transcriptsOf(redis, keys, config.transcripts), runId);
  const { review, attempt, head, stage } = brief;
  return {
    of,
    runId,
    review,
    attempt,
    head,
    stage,
    summary: await summaryOf(source, runId),
    conversations: stored?.map((one) => ({ ...one, lines: one.lines.map(clean) })) ?? null,
  };
};

const conversationsOrNull = async (
  ...[transcripts, runId]: Parameters<typeof loadConversations>
): Promise<readonly RecordedConversation[] | null> => {
  try {
    return await loadConversations(transcripts, runId);
  } catch (error) {
    if (error instanceof TranscriptUnreadableError) return null;
    throw error;
  }
};
