/** Faults of what the command line reports. */
import type { Proof } from '../named-test.ts';

export const COMMAND_LINE_ROWS: Readonly<Record<string, Proof>> = {};
