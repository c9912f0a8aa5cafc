/**
 * Brings both `PROOF.md` up to date with the simulators: proofs that are there stay, new answers come in as "assumed".
 * `npx tsx test/sim-tests/proof/write.ts`
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDocument } from '../../sim/shared/proof-document.ts';
import { writeDocument } from './document.ts';
import { sectionsOf } from './sections.ts';
import { FORGEJO, GITLAB } from './simulators.ts';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

for (const simulator of [FORGEJO, GITLAB]) {
  const file = path.join(ROOT, simulator.folder, 'PROOF.md');
  writeFileSync(file, writeDocument(readDocument(readFileSync(file, 'utf8')), sectionsOf(simulator)));
}
