/**
 * Every spelling that a forge makes a reference of. For GitLab the rows are those of its own table:
 * https://docs.gitlab.com/user/markdown/#gitlab-specific-references
 */
import { describe, expect, it } from 'vitest';
import { removeBreaks } from '../../../shared/text/break-points.ts';
import { sanitize, sanitizeLine } from '../../../shared/text/sanitize.ts';
import { liveMarkupIn, mentionsIn } from '../../support/live-markup.ts';
import { FORGE, OPTIONS } from './sanitize-fixture.ts';

const SHA = '9ba12248';

const GITLAB: readonly (readonly [string, string])[] = [
  ['a user', '@user_name'],
  ['the entire team', '@all'],
  ['a project', 'namespace/project>'],
  ['an issue', '#123'],
  ['an issue of another project', 'namespace/project#123'],
  ['an issue of a project beside', 'project#123'],
  ['an issue by GL', 'GL-123'],
  ['an issue by kind', '[issue:123]'],
  ['a work item', '[work_item:123]'],
  ['a work item of another project', '[work_item:namespace/project/123]'],
  ['an issue with its title', '#123+'],
  ['an issue with its summary', '#123+s'],
  ['a merge request', '!123'],
  ['a merge request elsewhere', 'namespace/project!123+s'],
  ['a snippet', '$123'],
  ['a snippet elsewhere', 'namespace/project$123'],
  ['an epic', '&123'],
  ['an epic elsewhere', 'group1/subgroup&123'],
  ['an epic by kind', '[epic:group1/subgroup/123]'],
  ['an iteration', '*iteration:"iteration title"'],
  ['a cadence', '[cadence:123]'],
  ['a cadence by its title', '[cadence:"plan a"]'],
  ['a vulnerability', '[vulnerability:123]'],
  ['a vulnerability elsewhere', '[vulnerability:namespace/project/123]'],
  ['a feature flag', '[feature_flag:123]'],
  ['a label by its number', '~123'],
  ['a label', '~bug'],
  ['a label of two words', '~"feature request"'],
  ['a label with a scope', 'namespace/project~"priority::high"'],
  ['a milestone by its number', '%123'],
  ['a milestone', '%v1.23'],
  ['a milestone of two words', 'namespace/project%"release candidate"'],
  ['a commit', SHA],
  ['a commit elsewhere', `namespace/project@${SHA}`],
  ['a range of commits', `${SHA}...b19a04f5`],
  ['an alert', '^alert#123'],
  ['an alert elsewhere', 'namespace/project^alert#123'],
  ['a contact', '[contact:a@example.com]'],
  ['a wiki page', '[[Home]]'],
  ['a wiki page by kind', '[wiki_page:Home]'],
  ['an issue by address', `${FORGE}/a/b/-/issues/1`],
  ['a vulnerability by address', `${FORGE}/a/b/-/security/vulnerabilities/1`],
  ['a snippet by address', `${FORGE}/a/b/-/snippets/1`],
  ['an alert by address', `${FORGE}/a/b/-/alert_management/1/details`],
  ['a commit by address', `${FORGE}/a/b/-/commit/${SHA}`],
];

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
      for (const make of [sanitize, sanitizeLine]) {
        const { body } = make(`${around}${reference}`, OPTIONS);
        expect(liveMarkupIn(body, FORGE)).toEqual([]);
        expect(mentionsIn(body)).toEqual([]);
        expect(body).not.toMatch(/\]\(|(?:clos|fix)es [A-Z]+-\d/i);
        expect(shown(body)).toBe(`${around}${reference}`);
        expect(make(body, OPTIONS).body).toBe(body);
      }
    }
  });
});

it('F-E10: an address of a file at a commit stays a link', () => {
  const link = `${FORGE}/a/b/-/blob/d8a994ef243349f321568f9e36d5c3f444b99cae/src/a.ts`;
  expect(sanitize(`See ${link}`, OPTIONS).body).toBe(`See ${link}`);
  expect(sanitize(`| ${link} |`, OPTIONS).body).toBe(`| ${link} |`);
});
