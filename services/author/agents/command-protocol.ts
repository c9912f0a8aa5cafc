import type { FixAccount, FixTask } from '../change/agent.ts';

/**
 * The input of a program. While the program runs, `files` are in a separate folder of its checkout. They do not count
 * as changes.
 */
export type Told = { readonly input: string; readonly files: Readonly<Record<string, string>> };

export type CommandProtocol = {
  readonly name: 'command' | 'messages';
  /** `folder`: where the files will be, as a path relative to the checkout. */
  readonly tell: (task: FixTask, folder: string) => Told;
  readonly read: (stdout: string, task: FixTask) => FixAccount | null;
};
