import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAddress } from '../../../../services/cli/address/parse-address.ts';
import { UsageError } from '../../../../services/cli/terminal/usage-error.ts';

const KINDS = { gitlab: ['gitlab'], forgejo: ['forgejo', 'gitea'] };

const web = (family: 'gitlab' | 'forgejo', origin: string, path: string, number: number) => ({
  kind: 'web',
  kinds: KINDS[family],
  origin,
  path: path.split('/'),
  number,
});
const F = 'https://forge.example.com';

describe('the address of a change request', () => {
  test.each([
    [`${F}/group/project/-/merge_requests/7`, web('gitlab', F, 'group/project', 7)],
    [`${F}/group/sub/deep/project/-/merge_requests/7`, web('gitlab', F, 'group/sub/deep/project', 7)],
    [`${F}/gitlab/group/project/-/merge_requests/7`, web('gitlab', F, 'gitlab/group/project', 7)],
    [`${F}/group/project/merge_requests/7`, web('gitlab', F, 'group/project', 7)],
    [`${F}/group/project/-/merge_requests/7/diffs?tab=x#note_12`, web('gitlab', F, 'group/project', 7)],
    [`${F}/owner/repo/pulls/12`, web('forgejo', F, 'owner/repo', 12)],
    [`${F}/owner/repo/pulls/12/files#issuecomment-3`, web('forgejo', F, 'owner/repo', 12)],
    [`${F}/git/owner/repo/pulls/12/`, web('forgejo', F, 'git/owner/repo', 12)],
    [`${F}/owner/pulls/pulls/3`, web('forgejo', F, 'owner/pulls', 3)],
    ['HTTPS://Forge.Example.com:8443/a/b/pulls/1', web('forgejo', 'https://forge.example.com:8443', 'a/b', 1)],
    ['http://127.0.0.1:3000/a/b/pulls/1', web('forgejo', 'http://127.0.0.1:3000', 'a/b', 1)],
    ['owner/repo#7', { kind: 'named', path: ['owner', 'repo'], number: 7 }],
    ['group/sub/project!7', { kind: 'named', path: ['group', 'sub', 'project'], number: 7 }],
    ['main/42/7', { kind: 'configured', forge: 'main', projectId: 42, number: 7 }],
  ])('%s is understood', (text, expected) => {
    expect(parseAddress(text)).toEqual(expected);
  });

  test.each([
    ['', /names no change request/],
    ['owner/repo', /names no change request/],
    ['#7', /names no change request/],
    ['repo#7', /names no change request/],
    ['owner/repo#0', /names no change request/],
    ['owner/../repo#7', /names no change request/],
    ['main/42/0', /names no change request/],
    ['Main/42/7', /names no change request/],
    ['ftp://forge.example.com/a/b/pulls/1', /names no change request/],
    [`${F}/owner/repo`, /not the URL of a change request/],
    [`${F}/owner/repo/commit/abc`, /not the URL of a change request/],
    [`${F}/owner/repo/pulls`, /not the URL of a change request/],
    [`${F}/owner/repo/pulls/0`, /not the URL of a change request/],
    [`${F}/owner/repo/pulls/9999999999`, /not the number of a change request/],
    [`${F}/repo/pulls/1`, /names no project/],
    [`${F}/owner/re%20po/pulls/1`, /names no project/],
    [`${F}/owner/repo/issues/7`, /the URL of an issue/],
    [`${F}/group/project/-/issues/7`, /the URL of an issue/],
    [`${F}/group/project/-/work_items/7`, /the URL of an issue/],
    ['https://github.com/owner/repo/pull/7', /a GitHub URL, and Fixpoint does not support GitHub/],
    ['https://someone:word@forge.example.com/a/b/pulls/1', /contains a user name or a password/],
    [`https://${'x'.repeat(2_000)}/a/b/pulls/1`, /too long/],
    ['https://', /not a URL/],
  ])('%s is refused in one sentence', (text, words) => {
    expect(() => parseAddress(text)).toThrow(UsageError);
    expect(() => parseAddress(text)).toThrow(words);
    expect(() => parseAddress(text)).toThrow(/^[^\n]*$/);
  });

  test('never repeats a password', () => {
    expect(() => parseAddress('https://someone:word@forge.example.com/a/b/pulls/1')).not.toThrow(/word@|someone/);
  });

  test('is understood, or refused as a mistake of the caller, whatever it is', () => {
    const piece = fc.constantFrom(
      'https://',
      'a',
      '/',
      '#',
      '!',
      '7',
      '-',
      'pulls',
      'merge_requests',
      '..',
      '%2e',
      '@',
      ':',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 12 }).map((all) => all.join('')),
        ),
        (text) => {
          try {
            expect(parseAddress(text).number).toBeGreaterThan(0);
          } catch (error) {
            expect(error).toBeInstanceOf(UsageError);
          }
        },
      ),
    );
  });
});
