import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createForgeHttp } from '../../../shared/forge/http.ts';
import { apiPath } from '../../../shared/forge/path.ts';
import { manualClock } from './manual-clock.ts';

const TOKEN = ['tok', 'en', 'for', 'tests'].join('_');

const canMakeCertificates = ((): boolean => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!canMakeCertificates)('a forge with a certificate of its own (needs openssl)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-tls-'));
  const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') };
  let seen = 0;
  let url = '';
  let close: () => void = () => undefined;

  beforeAll(async () => {
    const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const options = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ];
    execFileSync('openssl', [...options, ...name, '-keyout', files.key, '-out', files.cert], { stdio: 'ignore' });
    const server = createServer(
      { key: readFileSync(files.key), cert: readFileSync(files.cert) },
      (_request, response) => {
        seen += 1;
        response.end('{"id":1}');
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`; // A listening TCP server has one.
    close = () => {
      server.close();
      server.closeAllConnections();
    };
  });

  afterAll(() => {
    close();
    rmSync(folder, { recursive: true });
  });

  const read = async (ca?: string): Promise<unknown> => {
    const retry = { attempts: 1, baseMs: 1, capMs: 1, maxRetryAfterMs: 1 };
    const options = { forgeId: 'test', baseUrl: url, token: TOKEN, retry, clock: manualClock() };
    const http = createForgeHttp(ca === undefined ? options : { ...options, ca });
    const request = { path: apiPath`/x`, schema: z.object({ id: z.number() }) };
    return (await http.read(request, new AbortController().signal)).value;
  };

  it('is read with the configured authority', async () => {
    expect(await read(readFileSync(files.cert, 'utf8'))).toEqual({ id: 1 });
  });

  it('is not sent anything without it', async () => {
    seen = 0;
    const error = await read().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'FORGE_UNAVAILABLE', fields: { reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
    expect(seen).toBe(0);
  });
});
