/** The stored conversations of one run, for the operator's page. */
import { MOST_PARTS } from '../config/agent-settings.ts';
import type { Transcript } from '../agent/transcript.ts';
import type { Transcripts } from '../store/transcripts.ts';
import { transcriptOfPart } from '../vocabulary/question.ts';
import { explorationIds, turnLines } from './turn-lines.ts';

export type RecordedConversation = {
  readonly id: string;
  /** For example `reviewer`, `explorer`. */
  readonly role: string;
  readonly model: string;
  readonly lines: readonly string[];
};

/** A run may have hundreds of explorations. */
const MAX_CONVERSATIONS = 60;

/** The reviewer's conversations first, then those of finders, explorers and verifiers. @throws TranscriptUnreadableError */
export const loadConversations = async (
  transcripts: Pick<Transcripts, 'load'>,
  runId: string,
): Promise<readonly RecordedConversation[]> => {
  const parts = Array.from({ length: MOST_PARTS }, (_, index) => transcriptOfPart(runId, index + 1));
  const main = await loadAll(transcripts, [runId, ...parts]);
  const ids = main.flatMap(({ id, transcript }) => explorationIds(id, transcript));
  const others = await loadAll(transcripts, ids.slice(0, MAX_CONVERSATIONS));
  return [...main, ...others].map(({ id, transcript }) => ({
    id,
    role: transcript.start.role,
    model: transcript.start.model,
    lines: turnLines(transcript),
  }));
};

type Found = { readonly id: string; readonly transcript: Transcript };

const loadAll = async (transcripts: Pick<Transcripts, 'load'>, ids: readonly string[]): Promise<readonly Found[]> => {
  const loaded = await Promise.all(ids.map(async (id) => ({ id, transcript: await transcripts.load(id) })));
  return loaded.flatMap(({ id, transcript }) => (transcript === null ? [] : [{ id, transcript }]));
};
