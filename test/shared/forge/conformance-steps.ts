/** The suite's failures in the words of the simulated forges. */
import type { FaultStep } from '../../sim/forgejo/faults.ts';
import type { Failure } from './conformance-world.ts';

export const STEPS: Readonly<Record<Failure, FaultStep>> = {
  rate_limited: { kind: 'status', status: 429, headers: { 'retry-after': '2' } },
  server_error: { kind: 'status', status: 500 },
  reset_before: { kind: 'reset' },
  reset_after: { kind: 'reset', when: 'after' },
  timeout_after: { kind: 'timeout', when: 'after' },
  truncated: { kind: 'truncate' },
  empty: { kind: 'status', status: 200, body: '' },
  maintenance: {
    kind: 'status',
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: '<html>Back in a minute</html>',
  },
};
