import { startTranscript, type Transcript } from '../../../shared/agent/transcript.ts';
import { type Transcripts, TranscriptConflictError } from '../../../shared/store/transcripts.ts';

export type MemoryTranscripts = Transcripts & {
  readonly all: () => readonly Transcript[];
};

export const createMemoryTranscripts = (): MemoryTranscripts => {
  const known = new Map<string, Transcript>();
  return {
    all: () => [...known.values()],
    load: async (id) => known.get(id) ?? null,
    begin: async (id, start) => {
      if (known.has(id)) throw new TranscriptConflictError(id, 'start');
      known.set(id, startTranscript(start));
    },
    append: async (id, index, input) => {
      const transcript = known.get(id);
      if (transcript?.inputs.length !== index) throw new TranscriptConflictError(id, String(index));
      known.set(id, { ...transcript, inputs: [...transcript.inputs, input] });
    },
  };
};
