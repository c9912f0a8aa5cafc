import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIALECTS } from '../../../shared/forge/kinds/forge-kind.ts';
import { propertyRuns } from '../../support/deep.ts';

const KINDS = ['forgejo', 'gitea', 'gitlab'] as const;

describe('the syntax of each forge', () => {
  it('is looked for where the forge looks', () => {
    expect(KINDS.map((kind) => DIALECTS[kind].codeOwners.places)).toEqual([
      ['CODEOWNERS', 'docs/CODEOWNERS', '.gitea/CODEOWNERS', '.forgejo/CODEOWNERS'],
      ['CODEOWNERS', 'docs/CODEOWNERS', '.gitea/CODEOWNERS'],
      ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'],
    ]);
  });

  it('is that of the forge', () => {
    const owners = KINDS.map((kind) => DIALECTS[kind].codeOwners.parse('/src/.* @ann').ownersOf('src/x').people);
    expect(owners).toEqual([[], ['ann'], []]);
  });

  it.each(KINDS)('of %s never throws, and gives only names that can be mentioned', (kind) => {
    const piece = fc.constantFrom(
      '*',
      '/',
      '@',
      'ann',
      ' ',
      '\\',
      '[',
      ']',
      '^',
      '!',
      '#',
      '\n',
      '(',
      ')',
      '.',
      '{2}',
      'all',
      '\t',
      '@@',
    );
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, text, (file, path) => {
        const { people, groups } = DIALECTS[kind].codeOwners.parse(file).ownersOf(path);
        for (const name of people) expect(name).toMatch(/^(?!all$)\w(?:[\w.-]*\w)?$/i);
        for (const name of groups) expect(name).toMatch(/^\w[\w.-]*(?:\/[\w.-]+)+$/);
      }),
      propertyRuns(500, 50_000),
    );
  });
});
