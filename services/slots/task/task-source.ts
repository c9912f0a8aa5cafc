/**
 * Source of tasks: the text of one task, a file, or `bd` (`beads.ts`). Tasks are listed again before each iteration.
 */
import { readFile } from 'node:fs/promises';
import { LoopError } from '../settings/errors.ts';
import { parseTasksFile, type Task, taskOfText } from './task.ts';

export type TaskListing =
  | { readonly kind: 'listed'; readonly tasks: readonly Task[] }
  | { readonly kind: 'unavailable'; readonly reason: string };

export type TaskSource = {
  /** Contract: returns the open tasks in the order in which to do them. Throws only after an abort. */
  readonly list: (signal: AbortSignal) => Promise<TaskListing>;
  /**
   * Contract: called after the task's work was merged. Returns null when the source will not list the task again,
   * otherwise the reason why it will. Throws only after an abort.
   */
  readonly close?: (id: string, signal: AbortSignal) => Promise<string | null>;
};

export const sourceOfText = (text: string): TaskSource => ({
  list: () => Promise.resolve({ kind: 'listed', tasks: [taskOfText(text, 'task')] }),
});

/** Reads the file once, so that an agent that edits it does not change the tasks. @throws LoopError */
export const sourceOfFile = async (path: string): Promise<TaskSource> => {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new LoopError('LOOP_TASKS', `${path}: cannot be read`, cause);
  });
  const tasks = parseTasksFile(text);
  if (tasks === null) throw new LoopError('LOOP_TASKS', `${path}: expected one task per line, or a JSON list with ids`);
  return { list: () => Promise.resolve({ kind: 'listed', tasks }) };
};
