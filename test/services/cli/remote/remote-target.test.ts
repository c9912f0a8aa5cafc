import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { parseAddress } from '../../../../services/cli/address/parse-address.ts';
import { nameTarget } from '../../../../services/cli/remote/remote-target.ts';

test('options of a model that lack another one are refused before the forge is asked', async () => {
  let requests = 0;
  const forge = createServer((_request, response) => {
    requests += 1;
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => forge.listen(0, '127.0.0.1', resolve));
  // Safe cast: a server that listens on TCP has such an address.
  const { port } = forge.address() as AddressInfo;
  try {
    const target = nameTarget(
      {
        address: parseAddress(`http://127.0.0.1:${port}/owner/name/pulls/7`),
        configPath: null,
        tokenEnv: undefined,
        wish: { runner: 'auto', provider: 'openai', model: 'qwen3' },
        directory: '.',
        env: { FORGEJO_TOKEN: 'a token' },
      },
      new AbortController().signal,
    );
    await expect(target).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('--provider openai needs --base-url URL'),
    });
    expect(requests).toBe(0);
  } finally {
    forge.close();
  }
});
