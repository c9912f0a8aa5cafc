import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ReviewOutput } from '../../../../services/cli/review/review-output.ts';
import { ROOT } from '../run-cli.ts';

/** `npx vitest run test/services/cli/review/review-output.test.ts --update` writes it anew. */
test('the published schema is the one that the output is checked with', async () => {
  const published = path.join(ROOT, 'services/cli/review/review-output.schema.json');
  await expect(`${JSON.stringify(z.toJSONSchema(ReviewOutput), null, 2)}\n`).toMatchFileSnapshot(published);
});
