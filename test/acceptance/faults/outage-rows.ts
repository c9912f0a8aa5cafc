/** Faults under outages and races. */
import type { Proof } from '../named-test.ts';

export const OUTAGE_ROWS: Readonly<Record<string, Proof>> = {};
