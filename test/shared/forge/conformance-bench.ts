import { expect } from 'vitest';
import { AppError } from '../../../shared/errors.ts';
import type { ChangeRequestFacts, ForgeComment } from '../../../shared/forge/port-facts.ts';
import type { OutgoingInline } from '../../../shared/forge/port.ts';
import type { ForgeVerdict } from '../../../shared/vocabulary/forge-verdict.ts';
import type { PostableBody } from '../../../shared/text/postable-body.ts';
import type { ConformanceWorld } from './conformance-world.ts';

export const signal = new AbortController().signal;

/** Tests write plain words: nothing here needs the sanitizer. */
export const text = (body: string): PostableBody => body as PostableBody;

export const failureOf = async (promise: Promise<unknown>): Promise<AppError> => {
  const outcome: unknown = await promise.then(
    () => 'no error',
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(AppError);
  return outcome as AppError; // Checked by the line above.
};

/** The sentences that the suite is written in. `world` is the one of the running test. */
export type Bench = {
  world: ConformanceWorld;
  readonly comments: () => Promise<readonly ForgeComment[]>;
  readonly bodies: () => Promise<readonly string[]>;
  readonly say: (body: string) => Promise<void>;
  /** The one comment with this text. */
  readonly withBody: (body: string) => Promise<ForgeComment>;
  /** Resolves to the verdict that it carried. */
  readonly review: (
    inline: readonly OutgoingInline[],
    body?: string,
    verdict?: ForgeVerdict,
  ) => Promise<ForgeVerdict | null>;
  /** The texts that a published review adds, in the order of their letters. */
  readonly published: (inline: readonly string[], body?: string) => readonly string[];
  readonly on: (where: keyof ConformanceWorld['positions'], body: string) => OutgoingInline;
  readonly facts: () => Promise<ChangeRequestFacts | null>;
};

export const createBench = (): Bench => {
  let current: ConformanceWorld | null = null;
  const bench: Bench = {
    get world(): ConformanceWorld {
      if (current === null) throw new Error('no world has been started');
      return current;
    },
    set world(world: ConformanceWorld) {
      current = world;
    },
    comments: () => bench.world.forge.read.fetchComments(bench.world.changeRequest, signal),
    bodies: async () => (await bench.comments()).map((comment) => comment.body),
    say: (body) => bench.world.forge.write.createComment(bench.world.changeRequest, text(body), signal),
    withBody: async (body) => {
      const found = (await bench.comments()).filter((comment) => comment.body === body);
      expect(found).toHaveLength(1);
      return found[0] as ForgeComment; // Checked by the line above.
    },
    review: (inline, body = 'summary', verdict) => {
      const { head, base, changeRequest, forge } = bench.world;
      const said = { body: text(body), comments: inline, ...(verdict === undefined ? {} : { verdict }) };
      const outgoing = { head, base, targetHead: base, ...said };
      return forge.write.submitReview(changeRequest, outgoing, signal);
    },
    published: (inline, body = 'summary') => (bench.world.can.reviewBody ? [...inline, body] : [...inline]).toSorted(),
    on: (where, body) => ({ position: bench.world.positions[where], body: text(body) }),
    facts: () => bench.world.forge.read.fetchChangeRequest(bench.world.changeRequest, signal),
  };
  return bench;
};
