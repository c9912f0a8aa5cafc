/** `fixpoint review ADDRESS --ca-file`: a forge behind TLS with a certificate that nobody else has signed. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORGE_KINDS } from '../../support/fleet-forge.ts';
import { hasOpenssl, makeCertificate } from '../../support/openssl.ts';
import { startWaysStage, type WaysStage } from '../../support/ways-stage.ts';

const RUN_MS = 180_000;

const folder = mkdtempSync(path.join(tmpdir(), 'fixpoint-ca-'));
const files = { key: path.join(folder, 'key.pem'), cert: path.join(folder, 'cert.pem') };

describe.skipIf(!hasOpenssl)('a forge with a private certificate authority (needs openssl)', () => {
  beforeAll(() => {
    makeCertificate(folder, ['IP:127.0.0.1']);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe.each(FORGE_KINDS)('%s', (kind) => {
    let stage: WaysStage;
    let proxy: Server;
    let url = '';
    let number = 0;

    beforeAll(async () => {
      stage = await startWaysStage({ kind });
      number = await stage.open('private', { 'src/run.js': 'export const run = (words) => eval(words);\n' });
      proxy = createServer({ key: readFileSync(files.key), cert: readFileSync(files.cert) }, (secure) => {
        const plain = connect(Number(new URL(stage.sim.url).port), '127.0.0.1');
        secure.on('error', () => plain.destroy()).pipe(plain);
        plain.on('error', () => secure.destroy()).pipe(secure);
      });
      proxy.listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      const address = proxy.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      url = stage.urlOf(number).replace(stage.sim.url, `https://127.0.0.1:${port}`);
    }, RUN_MS);
    afterAll(async () => {
      proxy?.close();
      await stage?.close();
    }, RUN_MS);

    test(
      'is read and cloned when the file names its authority',
      async () => {
        const output = await stage.review(url, { caFile: files.cert });
        expect(output).toMatchObject({
          verdict: 'feedback',
          findings: [{ path: 'src/run.js', line: 1, code: { startLine: 1 } }],
        });
      },
      RUN_MS,
    );

    test(
      'is refused in one sentence without the file, with one that is not there, and beside a configuration',
      async () => {
        const missing = path.join(folder, 'missing.pem');
        const config = path.join(folder, 'some.toml');
        writeFileSync(config, '');
        const cases = [
          [
            {},
            /^https:\/\/127\.0\.0\.1:\d+ has a certificate that is not trusted: pass the certificate of its authority with --ca-file$/,
          ],
          [{ caFile: missing }, /missing\.pem cannot be read: file not found$/],
          [{ caFile: files.cert, config }, /^--ca-file: not allowed with a configuration: set it in /],
        ] as const;
        for (const [wish, message] of cases)
          await expect(stage.review(url, wish)).rejects.toMatchObject({
            code: 'USAGE',
            message: expect.stringMatching(message),
          });
      },
      RUN_MS,
    );
  });
});
