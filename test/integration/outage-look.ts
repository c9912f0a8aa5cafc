/** The visible result of a review, without parts that differ between runs, for comparing runs with and without an outage. */
import { removeBreaks } from '../../shared/text/break-points.ts';
import { botBodies, inlineOf, kindsOf, open, statusOf, summaryOf, textOf, verdictOf } from '../support/story.ts';
import type { StoryWorld } from '../support/story-world.ts';
import { expect } from 'vitest';
import { MANY_FILES } from '../support/many-files.ts';

/** `spends`: the outage costs calls that were sent but not answered. */
export const lookAt = (world: StoryWorld, number: number, spends: boolean) => {
  const { verdict, runs, spent, attempt, ledger } = summaryOf(world, number);
  const words = botBodies(world, number).map((body) =>
    removeBreaks(body)
      .replaceAll(/<!--[^]*?-->/g, '')
      .replaceAll(/case-\d+/g, 'case')
      .replaceAll(new RegExp(`/pulls/${number}#[a-z]+-\\d+`, 'g'), '/pulls/this#thread')
      .replaceAll(/\b[0-9a-f]{7,40}\b/g, 'id')
      .replaceAll(/[\d,]+ (?:in|out|(?:model )?calls?)\b|(?:less than )?\\?\$[\d.]+/g, 'cost'),
  );
  return {
    verdict,
    runs,
    attempt,
    calls: spends ? null : spent.modelCalls,
    ledger: ledger.map(({ severity, title, state }) => [severity, title.replaceAll(/case-\d+/g, 'case'), state]),
    kinds: kindsOf(world, number).toSorted(),
    inline: inlineOf(world, number).map(({ line }) => line),
    status: statusOf(world, number),
    words: words.toSorted(),
  };
};

export type Cases = {
  readonly open: () => Promise<number>;
  /** Waits for the verdict, and compares it with the first one. */
  readonly expectTheSame: (number: number, spends?: boolean) => Promise<void>;
};

export const casesOf = (world: StoryWorld): Cases => {
  let cases = 0;
  let undisturbed: ReturnType<typeof lookAt> | null = null;
  return {
    open: async () => {
      cases += 1;
      const files = { [`src/case-${cases}.js`]: textOf('export const run = (text) => eval(text);'), ...MANY_FILES };
      return open(world, { branch: `case-${cases}`, files });
    },
    expectTheSame: async (number, spends = false) => {
      await verdictOf(world, number);
      const plain = undisturbed ?? lookAt(world, number, false);
      undisturbed = plain;
      expect(lookAt(world, number, spends)).toEqual(spends ? { ...plain, calls: null } : plain);
    },
  };
};
