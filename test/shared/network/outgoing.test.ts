import { describe, expect, test } from 'vitest';
import { isProxied, proxyVariables } from '../../../shared/network/outgoing.ts';

const ENV = {
  HTTPS_PROXY: 'http://upper:1',
  https_proxy: 'http://lower:2',
  HTTP_PROXY: 'http://plain:3',
  NO_PROXY: 'a,b',
};
const DIRECT = { http_proxy: '', https_proxy: '', no_proxy: '*' };

describe('the proxy of a program', () => {
  test.each([
    ['nothing is set', null, {}, DIRECT],
    ['the environment has empty values', null, { HTTPS_PROXY: '', http_proxy: '' }, DIRECT],
    ['only exceptions are set', null, { NO_PROXY: '*' }, DIRECT],
    [
      'the environment names both, in both spellings',
      null,
      ENV,
      { http_proxy: 'http://plain:3', https_proxy: 'http://lower:2', no_proxy: 'a,b' },
    ],
    [
      'the environment names one for http only',
      null,
      { http_proxy: 'http://plain:3' },
      { http_proxy: 'http://plain:3', https_proxy: 'http://plain:3', no_proxy: '' },
    ],
    [
      'the environment names one for https only',
      null,
      { HTTPS_PROXY: 'http://upper:1' },
      { http_proxy: '', https_proxy: 'http://upper:1', no_proxy: '' },
    ],
    [
      'the setting names one',
      'http://own:4',
      ENV,
      { http_proxy: 'http://own:4', https_proxy: 'http://own:4', no_proxy: '' },
    ],
    ['the setting is "none"', 'none', ENV, DIRECT],
  ])('when %s', (_when, proxy, env, variables) => {
    expect(proxyVariables(proxy, env)).toEqual(variables);
    expect(isProxied(proxy, env)).toBe(variables !== DIRECT);
  });
});
