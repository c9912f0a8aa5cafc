import { z } from 'zod';
import { AGENT } from '../build-request.ts';
import { defineTool, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import { ExploreQuestion } from '../tool-result.ts';

const Input = z.strictObject({
  question: ExploreQuestion.shape.question.describe('one concern: what to find out and why, with names of symbols'),
  files: ExploreQuestion.shape.files.optional().describe('where to begin'),
});

/** Only asks: the loop ends this turn, and whoever runs it starts the explorers. */
export const createExploreTool = (maxExplorers: number): Tool =>
  defineTool({
    name: AGENT,
    description: `Sends an explorer through the repository with one question; its notes come back as the result. Explorers run at the same time when asked for in one turn; at most ${maxExplorers} in the whole review. They cannot see this conversation, cannot send others, and give no verdict.`,
    input: Input,
    maxInputCharacters: TOOL_LIMITS.inputCharacters + 20_000,
    run: async ({ question, files = [] }) => ({ kind: 'explore', question: { question, files } }),
  });
