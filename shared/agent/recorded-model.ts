/** Replays recorded model replies, so that a recorded run can be repeated with the real loop and the real tools. */
import { AppError } from '../errors.ts';
import type { Model } from './model/model.ts';
import type { Transcript } from './transcript.ts';

/** The run made more model calls than were recorded. */
export class RecordingEndedError extends AppError {
  constructor(replies: number) {
    super({
      code: 'RECORDING_ENDED',
      message: 'the recording has no further answer of the model',
      disposition: { kind: 'fail' },
      fields: { replies },
    });
  }
}

export const createRecordedModel = ({ inputs }: Transcript): Model => {
  const replies = inputs.flatMap((input) => (input.kind === 'reply' ? [input.reply] : []));
  let next = 0;
  return {
    respond: async (_request, signal) => {
      signal.throwIfAborted();
      const reply = replies[next];
      if (reply === undefined) throw new RecordingEndedError(replies.length);
      next += 1;
      return reply;
    },
  };
};
