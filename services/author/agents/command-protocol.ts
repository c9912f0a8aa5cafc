import type { FixAccount, FixTask } from '../change/agent.ts';

/** Input for a program. `files` are placed in a separate folder of its checkout while it runs and are not part of its work. */
export type Told = { readonly input: string; readonly files: Readonly<Record<string, string>> };

export type CommandProtocol = {
  readonly name: 'command' | 'messages';
  /** `folder`: where the files will be, relative to the checkout. */
  readonly tell: (task: FixTask, folder: string) => Told;
  readonly read: (stdout: string, task: FixTask) => FixAccount | null;
};
