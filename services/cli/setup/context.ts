import type { Environment } from '../../../shared/config/secrets.ts';
import type { Machine } from '../doctor/machine.ts';
import type { AskPerson } from './ask.ts';

/** What setup uses of its process, so that it can run in a test. */
export type SetupContext = {
  readonly env: Environment;
  readonly machine: Machine;
  /** Null: nothing may be asked. */
  readonly ask: AskPerson | null;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
};
