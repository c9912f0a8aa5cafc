/** The change requests of `test/fixtures/rounds`, with what is true after each push. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { Severity } from '../../shared/vocabulary/finding.ts';
import { PROJECT_ROOT } from '../support/tracked-files.ts';

const Line = z.number().int().positive();

const RoundCase = z
  .strictObject({
    id: z.string().regex(/^[a-z-]+$/),
    language: z.string(),
    what: z.string(),
    defects: z.record(z.string(), z.strictObject({ severity: Severity, text: z.string() })),
    pushes: z
      .array(
        z.strictObject({
          files: z.array(z.strictObject({ path: z.string(), text: z.string().nullable() })).min(1),
          open: z.array(z.strictObject({ id: z.string(), path: z.string(), line: Line })),
        }),
      )
      .min(2),
  })
  .refine(({ defects, pushes }) => pushes.every(({ open }) => open.every(({ id }) => id in defects)), {
    message: 'a push names a defect that the case does not have',
  });
export type RoundCase = z.output<typeof RoundCase>;

const FOLDER = join(PROJECT_ROOT, 'test/fixtures/rounds');

export const loadRoundCases = (): readonly RoundCase[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .flatMap((name) => z.array(RoundCase).parse(parse(readFileSync(join(FOLDER, name), 'utf8'))));
