/** Stored text that a model wrote. It is data, never instructions. */
import { z } from 'zod';
import { RuleFound } from '../rounds/model/posting/rules-told.ts';

const v = z.literal(1);

/** Notes of the last run of a change request. */
export const NotesText = z.object({ v, text: z.string() });
export type NotesText = z.output<typeof NotesText>;

/** Output of a model that could not be parsed as a review. */
export const RawText = z.object({ v, text: z.string() });
export type RawText = z.output<typeof RawText>;

/** Findings of the built-in rules in a run whose model gave no review. */
export const RulesFound = z.object({ v, findings: z.array(RuleFound) });
export type RulesFound = z.output<typeof RulesFound>;
