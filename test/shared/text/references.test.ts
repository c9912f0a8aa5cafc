/** Every spelling that a forge makes a reference of. */
import { describe, expect, it } from 'vitest';
import { removeBreaks } from '../../../shared/text/break-points.ts';
import { sanitize } from '../../../shared/text/sanitize.ts';
import { gitlabReferences } from '../../support/gitlab-references.ts';
import { liveMarkupIn, mentionsIn } from '../../support/live-markup.ts';
import { FORGE, OPTIONS } from './sanitize-fixture.ts';

const GITLAB = gitlabReferences(FORGE);

const FORGEJO: readonly (readonly [string, string])[] = [
  ['an issue', '#1'],
  ['a pull request', '!1'],
  ['an issue elsewhere', 'owner/repo#1'],
  ['a pull request elsewhere', 'owner/repo!1'],
  ['a commit', 'd8a994ef243349f321568f9e36d5c3f444b99cae'],
  ['a commit elsewhere', 'owner/repo@d8a994ef24'],
  ['a word that closes', 'Fixes #1'],
  ['a word that closes in another tracker', 'closes PROJ-1'],
  ['an issue by address', `${FORGE}/owner/repo/issues/1`],
  ['a pull request by address', `${FORGE}/owner/repo/pulls/1`],
  ['a commit by address', `${FORGE}/owner/repo/commit/d8a994ef243349f321568f9e36d5c3f444b99cae`],
];

/** As a person reads it: without what cannot be seen and without the signs of code. */
const shown = (body: string): string => removeBreaks(body).replaceAll(/\u200b|[`\\]/g, '');

describe.each([
  ['GitLab', GITLAB],
  ['Forgejo and Gitea', FORGEJO],
])('a reference of %s', (_forge, rows) => {
  it.each(rows)('F-E10: to %s does nothing and can be read', (_name, reference) => {
    for (const around of ['', 'See ', '| cell ', '- ', '> ']) {
      const { body } = sanitize(`${around}${reference}`, OPTIONS);
      expect(liveMarkupIn(body, FORGE)).toEqual([]);
      expect(mentionsIn(body)).toEqual([]);
      expect(body).not.toMatch(/\]\(|(?:clos|fix)es [A-Z]+-\d/i);
      expect(shown(body)).toBe(`${around}${reference}`);
      expect(sanitize(body, OPTIONS).body).toBe(body);
    }
  });
});

it('F-E10: a milestone without digits, and a mail address, do nothing', () => {
  expect(sanitize('See %next', OPTIONS).body).toBe('See %\u200bnext');
  expect(sanitize('Ask someone@mail.example', OPTIONS).body).toBe('Ask `someone@\u200bmail.example`');
});

it('F-E10: an address of a file at a commit stays a link', () => {
  const link = `${FORGE}/a/b/-/blob/d8a994ef243349f321568f9e36d5c3f444b99cae/src/a.ts`;
  expect(sanitize(`See ${link}`, OPTIONS).body).toBe(`See ${link}`);
  expect(sanitize(`| ${link} |`, OPTIONS).body).toBe(`| ${link} |`);
});
