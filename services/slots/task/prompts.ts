/** Finds the prompts: a configured path first, then `.ai_agents/`, then the built-in prompts. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { LoopError } from '../settings/errors.ts';

export type Prompts = {
  readonly developer: string;
  /** Null when the reviewer's prompt file is empty, which disables reviews. */
  readonly reviewer: string | null;
};

export const DEFAULT_DEVELOPER_PROMPT = `You are an engineer. Complete one task in this repository on your own.

Read the code that the task touches before you change it. Follow the conventions that you find. Change what the task asks
for and nothing else, add tests that prove that it works, and run them. Commit your work with a message that says why.

If there is no task for you, print no_beads_available on its own line and stop.`;

export const DEFAULT_REVIEWER_PROMPT = `You are a reviewer. Judge whether a task was completed. Do not change any files.

Compare the diff with the task: does the diff do everything that the task asks for, is it correct, is it tested, does it change
anything else? Read the code around the diff before you claim something. Ask only for what the task needs.

Answer strictly with the JSON object described at the end.`;

const MAX_PROMPT_CHARACTERS = 200_000;

const readIfThere = async (path: string): Promise<string | null> => {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    throw new LoopError('LOOP_PROMPT', `${path}: cannot be read`, cause);
  }
};

type Role = 'developer' | 'reviewer';

const FOLDER = join('.ai_agents', 'prompts');
const LEGACY_FILE = join('.ai_agents', 'prompt.md');

const withinLimit = (path: string, text: string): string => {
  if (text.length <= MAX_PROMPT_CHARACTERS) return text;
  throw new LoopError('LOOP_PROMPT', `${path}: is longer than ${MAX_PROMPT_CHARACTERS} characters`);
};

/** A configured file that does not exist is an error. There is no fallback. */
const readGiven = async (path: string, role: Role): Promise<string> => {
  const text = await readIfThere(path);
  if (text === null) throw new LoopError('LOOP_PROMPT', `${path}: ${role} prompt not found`);
  return withinLimit(path, text);
};

const readFirst = async (project: string, paths: readonly string[]): Promise<string | null> => {
  for (const path of paths) {
    const text = await readIfThere(join(project, path));
    if (text !== null) return withinLimit(join(project, path), text);
  }
  return null;
};

export type PromptPaths = {
  readonly developerPromptPath: string;
  /** Older setting for the same path; `developerPromptPath` takes precedence. */
  readonly promptPath: string;
  readonly reviewerPromptPath: string;
};

/** Paths are relative to the project. @throws LoopError when a configured file does not exist */
export const resolvePrompts = async (project: string, paths: PromptPaths): Promise<Prompts> => {
  const { developerPromptPath, promptPath, reviewerPromptPath } = paths;
  const given = developerPromptPath === '' ? promptPath : developerPromptPath;
  const developer =
    given === ''
      ? await readFirst(project, [join(FOLDER, 'developer.md'), LEGACY_FILE])
      : await readGiven(resolve(project, given), 'developer');
  const reviewer =
    reviewerPromptPath === ''
      ? await readFirst(project, [join(FOLDER, 'reviewer.md')])
      : await readGiven(resolve(project, reviewerPromptPath), 'reviewer');
  if (developer?.trim() === '') throw new LoopError('LOOP_PROMPT', 'the developer prompt is empty');
  const ask = reviewer ?? DEFAULT_REVIEWER_PROMPT;
  return { developer: developer ?? DEFAULT_DEVELOPER_PROMPT, reviewer: ask.trim() === '' ? null : ask };
};

export type InitialPrompt = {
  readonly path: string;
  readonly what: 'written' | 'overwritten' | 'kept';
};

const BUILT_IN: Readonly<Record<Role, string>> = {
  developer: DEFAULT_DEVELOPER_PROMPT,
  reviewer: DEFAULT_REVIEWER_PROMPT,
};

const layDown = async (project: string, role: Role, isForced: boolean): Promise<InitialPrompt> => {
  const path = join(FOLDER, `${role}.md`);
  const isThere = (await readIfThere(join(project, path))) !== null;
  if (isThere && !isForced) return { path, what: 'kept' };
  // The file is removed first: writing to a symbolic link would overwrite its target.
  await rm(join(project, path), { force: true });
  await writeFile(join(project, path), `${BUILT_IN[role]}\n`, { flag: 'wx' });
  return { path, what: isThere ? 'overwritten' : 'written' };
};

/** Writes the built-in prompts into the project, for the user to edit. @throws LoopError when they cannot be written */
export const initPrompts = async (project: string, isForced: boolean): Promise<readonly InitialPrompt[]> => {
  try {
    await mkdir(join(project, FOLDER), { recursive: true });
    return [await layDown(project, 'developer', isForced), await layDown(project, 'reviewer', isForced)];
  } catch (cause) {
    throw cause instanceof LoopError
      ? cause
      : new LoopError('LOOP_PROMPT', `${FOLDER}: cannot write the prompts`, cause);
  }
};
