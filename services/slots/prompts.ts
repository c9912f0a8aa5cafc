/** Where the prompts come from: a path that was given, then `.ai_agents/prompts/`, then our own. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { LoopError } from './errors.ts';

export type Prompts = {
  readonly developer: string;
  /** Null: an empty file was resolved, so that nothing is reviewed. */
  readonly reviewer: string | null;
};

export const DEFAULT_DEVELOPER_PROMPT = `You are an engineer who does one task in this repository, alone and to its end.

Read what the task touches before you change it. Keep to the conventions that you find. Change what the task asks for and
nothing else, with the tests that prove it, and run them. Commit your work with a message that says why.

When there is no task for you, say no_beads_available on a line of its own, and stop.`;

export const DEFAULT_REVIEWER_PROMPT = `You are a reviewer. You judge whether a task was done, and change nothing.

Compare the diff with the task: is everything done that it asks for, is it right, is it tested, is anything changed that it
does not ask for? Read the code around the diff before you claim something. Ask only for what the task needs.

Answer strictly with the JSON object that is described at the end.`;

const MAX_PROMPT_CHARACTERS = 200_000;

const readIfThere = async (path: string): Promise<string | null> => {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    throw new LoopError('LOOP_PROMPT', `${path}: cannot be read`, cause);
  }
};

const resolvePrompt = async (
  project: string,
  given: string,
  name: 'developer' | 'reviewer',
): Promise<string | null> => {
  const path = given === '' ? join(project, '.ai_agents', 'prompts', `${name}.md`) : resolve(project, given);
  const text = await readIfThere(path);
  if (text === null && given !== '') throw new LoopError('LOOP_PROMPT', `${path}: there is no such ${name} prompt`);
  if (text !== null && text.length > MAX_PROMPT_CHARACTERS) {
    throw new LoopError('LOOP_PROMPT', `${path}: is longer than ${MAX_PROMPT_CHARACTERS} characters`);
  }
  return text;
};

/** Paths are relative to the project. @throws LoopError where a path that was given leads nowhere */
export const resolvePrompts = async (
  project: string,
  paths: { readonly developerPromptPath: string; readonly reviewerPromptPath: string },
): Promise<Prompts> => {
  const developer = (await resolvePrompt(project, paths.developerPromptPath, 'developer')) ?? DEFAULT_DEVELOPER_PROMPT;
  const reviewer = (await resolvePrompt(project, paths.reviewerPromptPath, 'reviewer')) ?? DEFAULT_REVIEWER_PROMPT;
  if (developer.trim() === '') throw new LoopError('LOOP_PROMPT', 'the developer prompt is empty');
  return { developer, reviewer: reviewer.trim() === '' ? null : reviewer };
};
