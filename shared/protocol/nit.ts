import { z } from 'zod';
import { matching, oneOf, text, UtcSecond } from './fields.ts';

export const Nit = z.strictObject({
  nit_id: matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'an id such as NIT-001'),
  tier: oneOf(['P2', 'P3']),
  summary: text(500),
  owner: text(255),
  next_action: text(500),
  tracking_ref: text(1024).optional(),
  source: text(255).optional(),
  expires_at_utc: UtcSecond.optional(),
});
export type Nit = z.output<typeof Nit>;
