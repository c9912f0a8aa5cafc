import { z } from 'zod';
import { AGENT } from '../build-request.ts';
import { defineTool, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import { ExploreQuestion } from '../tool-result.ts';

const Input = z.strictObject({
  question: ExploreQuestion.shape.question.describe('one concern: what to find out and why, naming the symbols'),
  files: ExploreQuestion.shape.files.optional().describe('files to start with'),
});

/** Only records the question. The caller of the loop starts the explorers after this turn. */
export const createExploreTool = (maxExplorers: number): Tool =>
  defineTool({
    name: AGENT,
    description: `Sends an explorer for a question that takes many steps; the result is its notes. Explorers of one turn run in parallel; at most ${maxExplorers} in the whole review. An explorer sees neither this conversation nor the diff, and gives no verdict.`,
    input: Input,
    maxInputCharacters: TOOL_LIMITS.inputCharacters + 20_000,
    habits: { names: { prompt: 'question', paths: 'files' }, silent: ['subagent_type'] },
    run: async ({ question, files = [] }) => ({ kind: 'explore', question: { question, files } }),
  });
