/** Where tasks come from, asked anew before each iteration: one text, a file, or `bd` (`beads.ts`). */
import { readFile } from 'node:fs/promises';
import { LoopError } from '../settings/errors.ts';
import { parseTasksFile, type Task, taskOfText } from './task.ts';

export type TaskListing =
  | { readonly kind: 'listed'; readonly tasks: readonly Task[] }
  /** The agent has to choose by itself. */
  | { readonly kind: 'unavailable'; readonly reason: string };

export type TaskSource = {
  /** Contract: gives what is open now, in the order in which it is to be done; throws only after an abort. */
  readonly list: (signal: AbortSignal) => Promise<TaskListing>;
  /**
   * Contract: called when the work of that task has come back. Null: the source does not list it again; else why it will.
   * Throws only after an abort.
   */
  readonly close?: (id: string, signal: AbortSignal) => Promise<string | null>;
};

export const sourceOfText = (text: string): TaskSource => ({
  list: () => Promise.resolve({ kind: 'listed', tasks: [taskOfText(text, 'task')] }),
});

/** Read once: an agent that edits the list does not change what it is given. @throws LoopError */
export const sourceOfFile = async (path: string): Promise<TaskSource> => {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new LoopError('LOOP_TASKS', `${path}: cannot be read`, cause);
  });
  const tasks = parseTasksFile(text);
  if (tasks === null) throw new LoopError('LOOP_TASKS', `${path}: expected one task per line, or a JSON list with ids`);
  return { list: () => Promise.resolve({ kind: 'listed', tasks }) };
};
