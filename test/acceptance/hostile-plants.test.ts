/** Row G3: what somebody writes into the mirror, between jobs and at every step of one, is never obeyed. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { usually } from '../support/deep.ts';
import { type HostileStage, type Range, startHostileStage, TOKEN } from '../support/hostile-stage.ts';
import { misleadToFolder, poison } from '../support/poison.ts';

let stage: HostileStage;
let range: Range;
beforeEach(async () => {
  stage = await startHostileStage();
  const { repository } = stage;
  repository.write({ 'a.txt': 'one\n', '.gitattributes': '* diff=evil filter=evil merge=evil\n' });
  const base = repository.commit('base');
  repository.write({ 'a.txt': 'two\n', 'b.js': 'eval(location.hash);\n' });
  range = { base, head: repository.commit('change') };
});
afterEach(async () => stage.dispose());

const EVERY = 'every step';

const plant = (): void =>
  poison(stage.mirrorDir, { canary: stage.canary, listenerUrl: stage.listener.url, serverUrl: stage.server.url });

const plantAt =
  (wanted: string, seen: string[] = []) =>
  (step: string): void => {
    seen.push(step);
    if (wanted === EVERY || step === wanted) plant();
  };

const expectNothing = (): void => {
  expect({ ran: existsSync(stage.canary), called: stage.listener.calls() }).toEqual({ ran: false, called: 0 });
  expect(stage.logged()).not.toContain(TOKEN);
};

const ownConfig = (): string => readFileSync(path.join(stage.mirrorDir, 'config'), 'utf8');

describe('G3: a review of a mirror in which somebody plants', () => {
  test.each(usually(EVERY, 'before-fetch', 'before-review', 'runner', 'before-draft', 'before-report'))(
    'at %s runs nothing, calls nobody and finds what there is, and so does the next one',
    async (step) => {
      const clean = await stage.review(range);
      const seen: string[] = [];
      const planted = await stage.review(range, { onStep: plantAt(step, seen) });
      expect(seen).toContain(step === EVERY ? 'before-fetch' : step);
      plant();
      const next = await stage.review(range);
      for (const { draft } of [planted, next]) expect(draft?.findings).toEqual(clean.draft?.findings);
      expect(clean.draft?.findings).toMatchObject([{ claim: { path: 'b.js', rule: 'js-eval' } }]);
      expect(planted.draft?.patchFingerprint).toBe(clean.draft?.patchFingerprint);
      expectNothing();
      expect(ownConfig()).not.toContain('evil');
    },
  );
});

test('G3: a mirror that is made to point elsewhere between two jobs is read where it lies', async () => {
  const clean = await stage.review(range);
  const elsewhere = path.join(stage.folder, 'elsewhere');
  cpSync(stage.mirrorDir, elsewhere, { recursive: true });
  poison(elsewhere, { canary: stage.canary, listenerUrl: stage.listener.url, serverUrl: stage.server.url });
  misleadToFolder(stage.mirrorDir, elsewhere);
  expect((await stage.review(range)).draft).toEqual({ ...clean.draft, spent: expect.anything() });
  // Misled at every step it may fail; it must not obey.
  await stage.fix(range, () => misleadToFolder(stage.mirrorDir, elsewhere)).catch(() => null);
  expectNothing();
});

describe('G3: a fix in a mirror in which somebody plants', () => {
  test.each(usually(EVERY, 'before-fetch', 'before-work', 'work', 'before-push', 'after-push'))(
    'at %s runs nothing, calls nobody and pushes where it should',
    async (step) => {
      const seen: string[] = [];
      expect(await stage.fix(range, plantAt(step, seen))).toMatchObject({ kind: 'fixed' });
      expect(seen).toContain(step === EVERY ? 'before-fetch' : step);
      plant();
      expect((await stage.review(range)).draft).not.toBeNull();
      expectNothing();
    },
  );
});
