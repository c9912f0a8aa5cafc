/** The labelled pairs of `test/fixtures/duplicates/`: one file per language of the code, one family per first claim. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Claim } from '../../../shared/rounds/duplicates/duplicates.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../fixtures/duplicates');

export const SAME = ['reworded', 'moved', 'renamed', 'translated'] as const;
export const DIFFERENT = ['other claim, same line', 'same claim, other line'] as const;

const Told = z.object({
  id: z.string(),
  path: z.string(),
  startLine: z.number().int().positive(),
  line: z.number().int().positive(),
  citedCode: z.string(),
  title: z.string().max(200),
  body: z.string(),
});

const Family = Told.extend({
  others: z.array(
    Told.extend({
      category: z.enum([...SAME, ...DIFFERENT]),
      /** In which the claim is worded; the first claim of a family is in English. */
      language: z.enum(['en', 'de', 'fr', 'es', 'pt']),
    }),
  ),
});

export type LabelledPair = {
  readonly id: string;
  readonly category: (typeof SAME)[number] | (typeof DIFFERENT)[number];
  readonly language: string;
  /** Label: both claim the same. */
  readonly same: boolean;
  /** The threshold is tuned on one half; the other only measures. Families are never split. */
  readonly half: 'tune' | 'held out';
  /** Its place is mapped through renames, as the gate does before it compares. */
  readonly known: Claim;
  readonly raised: Claim;
};

const claimOf = (told: z.output<typeof Told>, file: string): Claim => ({
  place: { path: file, side: 'new', startLine: told.startLine, line: told.line },
  title: told.title,
  body: told.body,
  citedCode: told.citedCode,
});

const halfOf = (family: string): LabelledPair['half'] =>
  createHash('sha256').update(family).digest().readUInt8(0) % 2 === 0 ? 'tune' : 'held out';

const pairsOf = (family: z.output<typeof Family>): readonly LabelledPair[] =>
  family.others.map((other) => ({
    id: other.id,
    category: other.category,
    language: other.language,
    same: SAME.some((category) => category === other.category),
    half: halfOf(family.id),
    known: claimOf(family, other.path),
    raised: claimOf(other, other.path),
  }));

export const loadPairs = (): readonly LabelledPair[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .flatMap((name) => z.array(Family).parse(JSON.parse(readFileSync(path.join(FOLDER, name), 'utf8'))))
    .flatMap(pairsOf);

/** What is left of a claim where only the forge remembers it: the title, and the lines that it was hung on. */
export const remembered = (claim: Claim): Claim => ({ ...claim, body: '' });
