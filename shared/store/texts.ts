/** Texts of a model that are kept for later: data, whatever they say. */
import { z } from 'zod';
import { RuleFound } from '../rounds/model/rules-told.ts';

const v = z.literal(1);

/** What the last run of a change request noted. */
export const NotesText = z.object({ v, text: z.string() });
export type NotesText = z.output<typeof NotesText>;

/** What a model wrote that nobody could read as a review. */
export const RawText = z.object({ v, text: z.string() });
export type RawText = z.output<typeof RawText>;

/** What the built-in rules found in a run whose model gave no review. */
export const RulesFound = z.object({ v, findings: z.array(RuleFound) });
export type RulesFound = z.output<typeof RulesFound>;
