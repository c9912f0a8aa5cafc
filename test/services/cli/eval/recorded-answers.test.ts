import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRecordedAnswers } from '../../../../services/cli/eval/recorded-answers.ts';
import { loadTranscripts } from '../../../../services/cli/eval/run-folder.ts';
import { buildRequest } from '../../../../shared/agent/build-request.ts';
import { startConversation } from '../../../../shared/agent/conversation.ts';
import { never } from '../../../shared/workspace/repository.ts';
import { EVAL_FIXTURES } from './own-set.ts';

test('each recorded answer is given once, and not to a call that was stopped', async () => {
  const transcripts = await loadTranscripts(join(EVAL_FIXTURES, 'replayed'), { caseId: 'go-average', repeat: 1 });
  const [transcript] = transcripts;
  if (transcript === undefined) throw new Error('there is no conversation');
  const request = buildRequest(startConversation(transcript.start));
  const [first] = transcript.inputs;
  const answers = createRecordedAnswers(transcripts);
  await expect(answers.respond(request, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  expect(await answers.respond(request, never())).toEqual(first?.kind === 'reply' ? first.reply : null);
  await expect(answers.respond(request, never())).rejects.toMatchObject({
    code: 'EVAL_REPLAY_DIFFERS',
    message: 'the same request is made more often than it was recorded',
  });
});
