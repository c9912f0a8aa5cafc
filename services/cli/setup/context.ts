import type { Environment } from '../../../shared/config/secrets.ts';
import type { Machine } from '../doctor/machine.ts';
import type { AskPerson } from './ask.ts';

/** What setup uses from its process. Tests replace it. */
export type SetupContext = {
  readonly env: Environment;
  readonly machine: Machine;
  /** Asks the user. Null when no question may be asked. */
  readonly ask: AskPerson | null;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
};
