import { describe, expect, it } from 'vitest';
import { isOwnLink } from '../../../shared/text/link-policy.ts';
import { sanitize } from '../../../shared/text/sanitize.ts';
import { OPTIONS } from './sanitize-fixture.ts';

const FORGE = 'https://git.example';
const DEEP = 'https://git.example/forge/';

describe('a link to the forge', () => {
  it.each([
    ['a file on Forgejo', FORGE, `${FORGE}/team/shop/src/branch/main/src/user/logout.ts#L3-L9`],
    ['a file on GitLab', FORGE, `${FORGE}/group/sub/shop/-/blob/main/user/a.ts#L3`],
    ['the page that edits a file on GitLab', FORGE, `${FORGE}/shop/app/-/edit/release/1.0/.fixpoint.toml`],
    ['the page that makes a file on GitLab', FORGE, `${FORGE}/shop/app/-/new/main`],
    ['the page that edits a file on Forgejo', DEEP, `${DEEP}team/shop/_edit/main/.fixpoint.toml`],
    ['the page that makes a file on Forgejo', DEEP, `${DEEP}team/shop/_new/main`],
    ['a branch with an escaped slash', FORGE, `${FORGE}/team/shop/_edit/a%2Fb/.fixpoint.toml`],
    ['an owner whose name begins alike', FORGE, `${FORGE}/user-team/shop/src/branch/main/a.ts`],
  ])('stays alive to %s', (_name, forgeBaseUrl, url) => {
    expect(isOwnLink(url, { forgeBaseUrl })).toBe(true);
  });

  it.each([
    ['the page that signs out', FORGE, `${FORGE}/user/logout`],
    ['in other letters', FORGE, `${FORGE}/User/Logout`],
    ['escaped', FORGE, `${FORGE}/%75ser/logout`],
    ['behind two slashes', FORGE, `${FORGE}//user/logout`],
    ['behind a dot', FORGE, `${FORGE}/./user/logout`],
    ['from a project upwards', FORGE, `${FORGE}/team/../user/logout`],
    ['from a project upwards, escaped', FORGE, `${FORGE}/team/shop/%2e%2e/%2E%2E/user/logout`],
    ['below a path', DEEP, `${DEEP}user/logout`],
    ['what is outside of the path of the forge', DEEP, `${DEEP}../elsewhere/a`],
    ['an escape that is none', FORGE, `${FORGE}/team/shop/%zz`],
    ['a page that edits, filled in', FORGE, `${FORGE}/shop/app/-/edit/main/.fixpoint.toml?content=x`],
    [
      'a page that makes a file, filled in',
      FORGE,
      `${FORGE}/shop/app/-/new/main?file_name=.fixpoint.toml&commit_message=x`,
    ],
    ['a page that makes a file on Forgejo, filled in', FORGE, `${FORGE}/team/shop/_new/main?filename=a.ts`],
    ['another page of GitLab', FORGE, `${FORGE}/shop/app/-/settings/ci_cd`],
  ])('is broken to %s', (_name, forgeBaseUrl, url) => {
    expect(isOwnLink(url, { forgeBaseUrl })).toBe(false);
    const { body } = sanitize(`See [this](${url}).`, { ...OPTIONS, forgeBaseUrl });
    expect(body).not.toContain(`](${url})`);
  });
});
