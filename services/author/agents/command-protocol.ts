import type { FixAccount, FixTask } from '../change/agent.ts';

/** What a program is told. `files` lie in a folder of their own in its checkout while it runs, and are no part of its work. */
export type Told = { readonly input: string; readonly files: Readonly<Record<string, string>> };

/** The words between us and a program of the operator's. */
export type CommandProtocol = {
  readonly name: 'command' | 'messages';
  /** `folder`: where its files will lie, relative to the checkout. */
  readonly tell: (task: FixTask, folder: string) => Told;
  /** Null: what it has printed is no answer. */
  readonly read: (stdout: string, task: FixTask) => FixAccount | null;
};
